import { readEventTypes } from "../event-type-list.ts";
import { cancelDeliveries } from "../outbox/outbox-items.ts";
import type { Store } from "../store.ts";
import type { Row } from "../tables.ts";

/** Endpoints belong to partners, and to alert subscriptions of the channel `webhook`; both are verified and served alike. */
export interface WebhookOwner {
  readonly kind: "client" | "subscription";
  readonly publicId: string;
}

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

export function webhookOf(row: Row<"webhooks">) {
  return {
    publicId: row.public_id,
    owner: { kind: row.owner_kind, publicId: row.owner_id },
    endpointUrl: row.endpoint_url,
    eventTypes: readEventTypes(row.event_types), // null: all
    city: row.city, // null: all
    status: row.status,
    statusReason: row.status_reason,
    rotation: row.rotation,
    previousValidUntil: row.previous_valid_until,
    failures: row.failures, // in a row
    failingSince: row.failing_since,
    lastSuccessAt: row.last_success_at,
    createdAt: row.created_at,
    verifiedAt: row.verified_at,
  };
}
