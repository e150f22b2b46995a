import { sql } from "kysely";
import { insertMany, SKIP_KNOWN, type Store } from "../store.ts";
import type { DeliveryKind, OutboxState } from "../tables.ts";
import {
  attemptOf,
  cancelDeliveries,
  type Delivery,
  type DeliveryAttempt,
  deliveryOf,
  type NewDelivery,
  NOTHING_LEFT,
} from "./outbox-items.ts";
import { type Outcome, settle } from "./outbox-settle.ts";

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
    const rows = items.map(({ key, kind, target, payload }) => ({
      key,
      kind,
      target,
      payload,
      state: "waiting" as const,
      attempts: 0,
      tries: 0,
      due_at: now,
      created_at: now,
    }));
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

  settle(outcomes: readonly Outcome[]): Promise<void> {
    return settle(this.#store, outcomes);
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
    const { numUpdatedRows } = await db
      .updateTable("outbox")
      .set({ state: "waiting", due_at: clock(), tries: 0, finished_at: null })
      .where("id", "=", id)
      .where("state", "in", ["done", "dead"])
      .where("payload", "!=", NOTHING_LEFT)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0;
  }

  /** Makes an item due now that waits for its next attempt. False: it does not wait. */
  async hasten(id: number): Promise<boolean> {
    const { db, clock } = this.#store;
    const { numUpdatedRows } = await db
      .updateTable("outbox")
      .set({ due_at: clock() })
      .where("id", "=", id)
      .where("state", "=", "waiting")
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0;
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
          ...(beforeId === undefined ? [] : [where("id", "<", beforeId)]),
        ]),
      )
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
  async prune(before: number): Promise<number> {
    const { numDeletedRows } = await this.#store.db
      .deleteFrom("outbox")
      .where("finished_at", "<", before)
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  }
}
