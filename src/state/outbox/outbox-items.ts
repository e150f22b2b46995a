import { answerer } from "../../kernel/table.ts";
import type { Store } from "../store.ts";
import { type DeliveryKind, STATE_TABLES } from "../tables.ts";

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

export const attemptOf = answerer(STATE_TABLES.delivery_attempts);
export type DeliveryAttempt = Omit<ReturnType<typeof attemptOf>, "id" | "outboxId">;

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
