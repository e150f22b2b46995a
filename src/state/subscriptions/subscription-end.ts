/** The end of subscriptions: by their owner, or with all email to a mailbox. */

import { DAY_MS } from "../../kernel/time.ts";
import { suppressMailbox } from "../emails/suppression.ts";
import { cancelDeliveries } from "../outbox/outbox-items.ts";
import { inTransaction, type Store } from "../store.ts";
import { removeWebhooksOf } from "../webhooks/webhook-row.ts";
import { readLinkToken } from "./subscription-links.ts";

/** Deletes the address, the endpoint and what waits to be sent. Once or more often. */
export async function endSubscription(store: Store, publicId: string, reason: string): Promise<void> {
  await cancelDeliveries(store, publicId, "unsubscribed");
  await removeWebhooksOf(store, { kind: "subscription", publicId }, "unsubscribed");
  await store.db
    .updateTable("subscriptions")
    .set({
      status: "unsubscribed",
      status_reason: reason,
      email: null,
      webhook_url: null,
      updated_at: store.clock(),
    })
    .where("public_id", "=", publicId)
    .where("status", "!=", "unsubscribed")
    .execute();
}

/**
 * Stops all email to the mailbox of a `never` link for good: its subscriptions end, what waits for confirmation is deleted, and
 * later requests send it nothing. False for a token that was not made here.
 */
export async function refuseEmail(open: Store, token: string): Promise<boolean> {
  const mailbox = readLinkToken(open.keys, "never", token);
  if (mailbox === undefined) return false;
  await inTransaction(open, async (store) => {
    await suppressMailbox(store, mailbox, "owner");
    await forgetRequests(store, mailbox);
    for (const publicId of await subscriptionsOf(store, mailbox))
      await endSubscription(store, publicId, "refused");
  });
  return true;
}

/** Deletes what is left of subscriptions that ended so many days ago; returns their number. Their links stay good, and do nothing. */
export async function pruneEnded({ db, clock }: Store, days: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("subscriptions")
    .where("status", "=", "unsubscribed")
    .where("updated_at", "<=", clock() - days * DAY_MS)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

async function forgetRequests(store: Store, mailbox: string): Promise<void> {
  const requests = await store.db
    .deleteFrom("subscription_requests")
    .where("mailbox_key", "=", mailbox)
    .returning("public_id")
    .execute();
  for (const { public_id } of requests) await cancelDeliveries(store, public_id, "refused");
}

async function subscriptionsOf({ db }: Store, mailbox: string): Promise<string[]> {
  const rows = await db
    .selectFrom("subscriptions")
    .select("public_id")
    .where("status", "!=", "unsubscribed")
    .where("mailbox_key", "=", mailbox)
    .execute();
  return rows.map(({ public_id }) => public_id);
}
