import type { Store } from "../store.ts";
import type { DeliveryKind, Row } from "../tables.ts";

export interface NewDelivery {
  /** The same delivery always has the same key, and is put in once. Receivers see it as the id of the message. */
  readonly key: string;
  readonly kind: DeliveryKind;
  readonly target: string; // public id of the subscription or webhook
  readonly payload: string; // JSON
}

export type Delivery = ReturnType<typeof deliveryOf>;

/** The payload of an item whose content was deleted. */
export const NOTHING_LEFT = "{}";

export interface DeliveryAttempt {
  readonly attemptedAt: number;
  readonly durationMs: number;
  readonly statusCode: number | null; // of HTTP or SMTP
  readonly error: string | null;
}

export function deliveryOf(row: Row<"outbox">) {
  return {
    id: row.id,
    key: row.item_key,
    kind: row.kind,
    target: row.target,
    payload: row.payload,
    state: row.state,
    attempts: row.attempts, // ever; names the lease of an item that was claimed
    tries: row.tries, // since it was put in or replayed
    dueAt: row.due_at, // next attempt or end of the lease
    lastError: row.last_error,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}

/** Cancels the undelivered items of a target and deletes their content. Returns their number. */
export async function cancelDeliveries(
  { db, clock }: Store,
  target: string,
  reason: string,
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable("outbox")
    .set({ state: "dead", due_at: null, last_error: reason, finished_at: clock(), payload: NOTHING_LEFT })
    .where("target", "=", target)
    .where("due_at", "is not", null)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
