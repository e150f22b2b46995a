import { answerer } from "../../kernel/table.ts";
import { cancelDeliveries } from "../outbox/outbox-items.ts";
import type { Store } from "../store.ts";
import { type Row, STATE_TABLES } from "../tables.ts";

export interface WebhookOwner {
  readonly kind: Row<"webhooks">["owner_kind"];
  readonly publicId: string;
}

export const webhookOf = answerer(STATE_TABLES.webhooks);
export type Webhook = ReturnType<typeof webhookOf>;

/** Oldest first. */
export function ownRows({ db }: Store, { kind, publicId }: WebhookOwner): Promise<Row<"webhooks">[]> {
  return db
    .selectFrom("webhooks")
    .selectAll()
    .where("owner_kind", "=", kind)
    .where("owner_id", "=", publicId)
    .orderBy("created_at")
    .orderBy("public_id")
    .execute();
}

/** Removes the endpoints of an owner, with their waiting deliveries. */
export async function removeWebhooksOf(store: Store, owner: WebhookOwner, reason: string): Promise<void> {
  for (const { public_id } of await ownRows(store, owner)) {
    await cancelDeliveries(store, public_id, reason);
    await store.db.deleteFrom("webhooks").where("public_id", "=", public_id).execute();
  }
}
