import { sql } from "kysely";
import { answerer } from "../../kernel/table.ts";
import { affected, insertMany, inTransaction, SKIP_KNOWN, type Store, storedText } from "../store.ts";
import { type DeliveryKind, type OutboxState, STATE_TABLES } from "../tables.ts";

export interface NewDelivery {
  /** The same delivery always has the same key, and is put in once. Receivers see it as the id of the message. */
  readonly key: string;
  readonly kind: DeliveryKind;
  readonly target: string; // public id of the subscription or webhook
  readonly payload: string; // JSON
}

export const deliveryOf = answerer(STATE_TABLES.outbox);
export type Delivery = ReturnType<typeof deliveryOf>;

/** The payload of an item whose content was deleted. */
export const NOTHING_LEFT = "{}";

const attemptOf = answerer(STATE_TABLES.delivery_attempts);
export type DeliveryAttempt = Omit<ReturnType<typeof attemptOf>, "id" | "outboxId">;

/** Cancels the undelivered items of a target and deletes their content. Returns their number. */
export function cancelDeliveries({ db, clock }: Store, target: string, reason: string): Promise<number> {
  return affected(
    db
      .updateTable("outbox")
      .set({ state: "dead", due_at: null, last_error: reason, finished_at: clock(), payload: NOTHING_LEFT })
      .where("target", "=", target)
      .where("due_at", "is not", null),
  );
}

export interface OutboxFilter {
  readonly state?: OutboxState;
  readonly kind?: DeliveryKind;
  readonly target?: string;
  readonly beforeId?: number; // for the next page
  readonly limit?: number;
}

/** All email, or one endpoint. */
export interface Receiver {
  readonly kind: DeliveryKind;
  readonly target?: string;
}

export type OutboxCounts = Readonly<Record<DeliveryKind, Readonly<Record<OutboxState, number>>>>;

const DEFAULT_LIMIT = 50;

/** Deliveries, sent at least once: items are leased to workers and return when a worker dies. */
export class Outbox {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Returns the number of new items. Within `State.transaction` they commit with everything else. */
  enqueue(items: readonly NewDelivery[]): Promise<number> {
    const now = this.#store.clock();
    const waiting = { state: "waiting", attempts: 0, tries: 0, dueAt: now, createdAt: now } as const;
    const rows = items.map((item) => ({ ...item, ...waiting }));
    return insertMany(this.#store, "outbox", rows, SKIP_KNOWN);
  }

  /** The items that are due longest, for this worker alone until the lease ends, in the order in which they were put in. */
  async claim(limit: number, leaseMs: number, kind?: DeliveryKind): Promise<Delivery[]> {
    const { db, engine, clock } = this.#store;
    const now = clock();
    const rows = await db
      .with("due", (query) =>
        query
          .selectFrom("outbox")
          .select("id")
          .where("due_at", "<=", now)
          .$if(kind !== undefined, (narrowed) => narrowed.where("kind", "=", kind ?? "mail"))
          .orderBy("due_at")
          .orderBy("id")
          .limit(limit)
          .$if(engine === "postgres", (locked) => locked.forUpdate().skipLocked()),
      )
      .updateTable("outbox")
      .set((set) => ({
        state: "leased",
        due_at: now + leaseMs,
        attempts: set("attempts", "+", 1),
        tries: set("tries", "+", 1),
      }))
      .where("id", "in", (query) => query.selectFrom("due").select("due.id"))
      .returningAll()
      .execute();
    return rows.map(deliveryOf).sort((one, other) => one.id - other.id);
  }

  /**
   * Writes down many attempts in one transaction. A success counts even if the lease was over, for the message did arrive; a failure
   * then does not, because somebody else has the item now. Throws RangeError for a retry without a time.
   */
  settle(outcomes: readonly Outcome[]): Promise<void> {
    return inTransaction(this.#store, async (store) => {
      const attempts = outcomes.map(({ delivery, attemptedAt, durationMs, statusCode, error }) => ({
        outboxId: delivery.id,
        attemptedAt,
        durationMs: Math.round(durationMs),
        statusCode,
        error: shortened(error),
      }));
      await insertMany(store, "delivery_attempts", attempts);
      const delivered = outcomes.filter(({ result }) => result === "done").map(({ delivery }) => delivery.id);
      await markDone(store, delivered);
      for (const outcome of outcomes) if (outcome.result !== "done") await markFailed(store, outcome);
      await scrub(
        store,
        outcomes.filter(({ isPrivate }) => isPrivate).map(({ delivery }) => delivery.id),
      );
    });
  }

  /** Returns claimed but untried items: they are due at `dueAt`, and the try is not counted. */
  async release(items: readonly Delivery[], dueAt: number): Promise<void> {
    for (const { id, attempts } of items)
      await this.#store.db
        .updateTable("outbox")
        .set((set) => ({ state: "waiting", due_at: dueAt, tries: set("tries", "-", 1) }))
        .where("id", "=", id)
        .where("state", "=", "leased")
        .where("attempts", "=", attempts)
        .execute();
  }

  /** Postpones everything for a silent receiver until at least `until`. */
  async postpone({ kind, target }: Receiver, until: number): Promise<void> {
    await this.#store.db
      .updateTable("outbox")
      .set({ due_at: until })
      .where("state", "=", "waiting")
      .where("due_at", "<", until)
      .where("kind", "=", kind)
      .$if(target !== undefined, (one) => one.where("target", "=", target ?? ""))
      .execute();
  }

  /** Delivers an item that is dead or done once more, with the same key. False: there is none such, or its content is gone. */
  async replay(id: number): Promise<boolean> {
    const { db, clock } = this.#store;
    const replayed = await affected(
      db
        .updateTable("outbox")
        .set({ state: "waiting", due_at: clock(), tries: 0, finished_at: null })
        .where("id", "=", id)
        .where("state", "in", ["done", "dead"])
        .where("payload", "!=", NOTHING_LEFT),
    );
    return replayed > 0;
  }

  /** Makes an item due now that waits for its next attempt. False: it does not wait. */
  async hasten(id: number): Promise<boolean> {
    const { db, clock } = this.#store;
    const waiting = db.updateTable("outbox").where("id", "=", id).where("state", "=", "waiting");
    return (await affected(waiting.set({ due_at: clock() }))) > 0;
  }

  cancel(target: string, reason: string): Promise<number> {
    return cancelDeliveries(this.#store, target, reason);
  }

  /** Newest first. */
  async list({
    state,
    kind,
    target,
    beforeId,
    limit = DEFAULT_LIMIT,
  }: OutboxFilter = {}): Promise<Delivery[]> {
    const rows = await this.#store.db
      .selectFrom("outbox")
      .selectAll()
      .where((where) =>
        where.and([
          ...(state === undefined ? [] : [where("state", "=", state)]),
          ...(kind === undefined ? [] : [where("kind", "=", kind)]),
          ...(target === undefined ? [] : [where("target", "=", target)]),
        ]),
      )
      .where("id", "<", beforeId ?? Number.MAX_SAFE_INTEGER)
      .orderBy("id", "desc")
      .limit(limit)
      .execute();
    return rows.map(deliveryOf);
  }

  /** Oldest first. */
  async attempts(id: number): Promise<DeliveryAttempt[]> {
    const rows = await this.#store.db
      .selectFrom("delivery_attempts")
      .selectAll()
      .where("outbox_id", "=", id)
      .orderBy("id")
      .execute();
    return rows.map(attemptOf);
  }

  async counts(): Promise<OutboxCounts> {
    const rows = await this.#store.db
      .selectFrom("outbox")
      .select(["kind", "state", sql<number>`count(*)`.as("items")])
      .groupBy(["kind", "state"])
      .execute();
    const empty = (): Record<OutboxState, number> => ({ waiting: 0, leased: 0, done: 0, dead: 0 });
    const counts = { mail: empty(), webhook: empty() };
    for (const { kind, state, items } of rows) counts[kind][state] = items;
    return counts;
  }

  /** When the next item (of that kind) is due, in ms; undefined when none is open. */
  async nextDueAt(kind?: DeliveryKind): Promise<number | undefined> {
    const row = await this.#store.db
      .selectFrom("outbox")
      .select("due_at")
      .where("due_at", "is not", null)
      .$if(kind !== undefined, (narrowed) => narrowed.where("kind", "=", kind ?? "mail"))
      .orderBy("due_at")
      .limit(1)
      .executeTakeFirst();
    return row?.due_at ?? undefined;
  }

  /** Deletes items finished before `before`, with their attempts; returns their number. */
  prune(before: number): Promise<number> {
    return affected(this.#store.db.deleteFrom("outbox").where("finished_at", "<", before));
  }
}

/** The result of an attempt, and the next step. */
export interface Outcome extends DeliveryAttempt {
  readonly delivery: Pick<Delivery, "id" | "attempts">;
  /** `retry`: again at `retryAt`. `dead`: never again, unless somebody replays it. */
  readonly result: "done" | "retry" | "dead";
  readonly retryAt?: number;
  /** The payload must not outlive the item: it goes when this one is done or dead. */
  readonly isPrivate?: boolean;
}

/** Errors are cut: a receiver's longer text is not stored. */
const MAX_ERROR_LENGTH = 1000;

async function scrub({ db }: Store, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db
    .updateTable("outbox")
    .set({ payload: NOTHING_LEFT })
    .where("id", "in", ids)
    .where("due_at", "is", null)
    .execute();
}

async function markDone({ db, clock }: Store, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db
    .updateTable("outbox")
    .set({ state: "done", due_at: null, last_error: null, finished_at: clock() })
    .where("id", "in", ids)
    .execute();
}

async function markFailed(
  { db, clock }: Store,
  { delivery, result, retryAt, error }: Outcome,
): Promise<void> {
  if (result === "retry" && retryAt === undefined) throw new RangeError("a retry needs its time");
  const change =
    result === "retry"
      ? ({ state: "waiting", due_at: retryAt, finished_at: null } as const)
      : ({ state: "dead", due_at: null, finished_at: clock() } as const);
  await db
    .updateTable("outbox")
    .set({ ...change, last_error: shortened(error) })
    .where("id", "=", delivery.id)
    .where("state", "=", "leased")
    .where("attempts", "=", delivery.attempts)
    .execute();
}

function shortened(error: string | null): string | null {
  return error === null ? null : storedText(error, MAX_ERROR_LENGTH);
}
