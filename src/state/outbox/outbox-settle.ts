import { insertMany, inTransaction, type Store, storedText } from "../store.ts";
import { type Delivery, type DeliveryAttempt, NOTHING_LEFT } from "./outbox-items.ts";

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

/**
 * Writes down many attempts in one transaction. A success counts even if the lease was over, for the message did arrive; a failure
 * then does not, because somebody else has the item now. Throws RangeError for a retry without a time.
 */
export function settle(open: Store, outcomes: readonly Outcome[]): Promise<void> {
  return inTransaction(open, async (store) => {
    await insertMany(store, "delivery_attempts", outcomes.map(attemptRow));
    const delivered = outcomes.filter(({ result }) => result === "done").map(({ delivery }) => delivery.id);
    await markDone(store, delivered);
    for (const outcome of outcomes) if (outcome.result !== "done") await markFailed(store, outcome);
    await scrub(
      store,
      outcomes.filter(({ isPrivate }) => isPrivate).map(({ delivery }) => delivery.id),
    );
  });
}

async function scrub({ db }: Store, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db
    .updateTable("outbox")
    .set({ payload: NOTHING_LEFT })
    .where("id", "in", ids)
    .where("due_at", "is", null)
    .execute();
}

function attemptRow({ delivery, attemptedAt, durationMs, statusCode, error }: Outcome) {
  return {
    outbox_id: delivery.id,
    attempted_at: attemptedAt,
    duration_ms: Math.round(durationMs),
    status_code: statusCode,
    error: shortened(error),
  };
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
