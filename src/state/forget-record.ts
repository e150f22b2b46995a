import { sql } from "kysely";
import { cancelDeliveries, NOTHING_LEFT } from "./delivery/outbox.ts";
import { removeWebhooksOf } from "./delivery/webhooks.ts";
import { forgetRemovalsOf } from "./removals.ts";
import { forgetReportsOf } from "./reports.ts";
import { affected, inTransaction, type Store } from "./store.ts";
import type { Row } from "./tables.ts";

/** A payload without the record, or undefined when nothing is left of it. */
export type Rewrite = (payload: string) => string | undefined;

export type Forgotten = Awaited<ReturnType<typeof forgetRecord>>;

const OPTED_OUT = "record opted out";

/**
 * Takes a record that has opted out from all that the state knows: deliveries are rewritten or dropped, requests and counters lose its id,
 * subscriptions to it alone are deleted, and what reports say of it.
 */
export function forgetRecord(open: Store, publicId: string, rewrite: Rewrite) {
  return inTransaction(open, async (store) => {
    const subscriptions = await forgetSubscriptions(store, publicId);
    const deliveries = await mentions(store, publicId);
    for (const delivery of deliveries) await forgetDelivery(store, delivery, rewrite(delivery.payload));
    await store.db
      .deleteFrom("usage_counters")
      .where("dimension", "=", "record")
      .where("value", "=", publicId)
      .execute();
    const requests = await affected(
      store.db.updateTable("usage_requests").set({ record: null }).where("record", "=", publicId),
    );
    const reports = await forgetReportsOf(store, publicId);
    const removals = await forgetRemovalsOf(store, publicId);
    return { deliveries: deliveries.length, requests, subscriptions, reports, removals };
  });
}

async function forgetSubscriptions(store: Store, publicId: string): Promise<number> {
  await store.db.deleteFrom("subscription_requests").where("entity_public_id", "=", publicId).execute();
  const ended = await store.db
    .deleteFrom("subscriptions")
    .where("entity_public_id", "=", publicId)
    .returning("public_id")
    .execute();
  for (const { public_id } of ended) {
    await cancelDeliveries(store, public_id, OPTED_OUT);
    await removeWebhooksOf(store, { kind: "subscription", publicId: public_id }, OPTED_OUT);
  }
  return ended.length;
}

function mentions({ db }: Store, publicId: string): Promise<Pick<Row<"outbox">, "id" | "payload">[]> {
  const pattern = `%${publicId.replace(/[\\%_]/g, "\\$&")}%`;
  return db
    .selectFrom("outbox")
    .select(["id", "payload"])
    .where(sql<boolean>`payload like ${pattern} escape '\\'`)
    .execute();
}

async function forgetDelivery(
  { db, clock }: Store,
  { id }: Pick<Row<"outbox">, "id">,
  payload = NOTHING_LEFT,
): Promise<void> {
  await db.updateTable("outbox").set({ payload }).where("id", "=", id).execute();
  if (payload !== NOTHING_LEFT) return;
  await db
    .updateTable("outbox")
    .set({ state: "dead", due_at: null, last_error: OPTED_OUT, finished_at: clock() })
    .where("id", "=", id)
    .where("due_at", "is not", null)
    .execute();
}
