import type { EventType } from "../../contract/enums.ts";
import { MAX_WEBHOOKS_PER_CLIENT, WEBHOOK_SECRET_OVERLAP_HOURS } from "../../contract/limits.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { newPublicId } from "../../kernel/ids.ts";
import { HOUR_MS } from "../../kernel/time.ts";
import { storedEventTypes } from "../event-type-list.ts";
import { inTransaction, lockName, type Store } from "../store.ts";
import type { Row } from "../tables.ts";
import { ownRows, type Webhook, type WebhookOwner, webhookOf } from "./webhook-row.ts";
import { webhookSecret } from "./webhook-secret.ts";

export interface WebhookWish {
  readonly owner: WebhookOwner;
  readonly endpointUrl: string;
  readonly eventTypes: readonly EventType[] | null;
  readonly city: string | null;
}

/** The only place that returns the signing secret. */
export type WebhookUpsert =
  | { readonly outcome: "created" | "rotated"; readonly webhook: Webhook; readonly signingSecret: string }
  | { readonly outcome: "limit_reached"; readonly limit: number };

/**
 * Makes a pending endpoint, or gives the one that exists a new secret and these filters. A disabled one is pending again: its owner
 * has asked for it. The secret before stays valid for a day.
 */
export function upsertWebhook(open: Store, wish: WebhookWish): Promise<WebhookUpsert> {
  return inTransaction(open, async (store) => {
    const { kind, publicId } = wish.owner;
    await lockName(store, `webhooks of ${kind} ${publicId}`);
    const rows = await ownRows(store, wish.owner);
    const known = rows.find((row) => row.endpoint_url === wish.endpointUrl);
    if (known !== undefined) return rotated(store, known, wish);
    if (rows.length >= MAX_WEBHOOKS_PER_CLIENT)
      return { outcome: "limit_reached", limit: MAX_WEBHOOKS_PER_CLIENT };
    return created(store, wish);
  });
}

async function created({ db, clock, random, keys }: Store, wish: WebhookWish): Promise<WebhookUpsert> {
  const now = clock();
  const publicId = newPublicId("wh", random);
  const signingSecret = webhookSecret(keys.purposeKey("webhooks"), publicId, 1);
  const row: Row<"webhooks"> = {
    public_id: publicId,
    owner_kind: wish.owner.kind,
    owner_id: wish.owner.publicId,
    endpoint_url: wish.endpointUrl,
    event_types: storedEventTypes(wish.eventTypes),
    city: wish.city,
    status: "pending",
    status_reason: null,
    rotation: 1,
    secret_hash: sha256Hex(signingSecret),
    previous_valid_until: null,
    challenge_hash: null,
    challenge_expires_at: null,
    failures: 0,
    failing_since: null,
    last_success_at: null,
    created_at: now,
    updated_at: now,
    verified_at: null,
  };
  await db.insertInto("webhooks").values(row).execute();
  return { outcome: "created", webhook: webhookOf(row), signingSecret };
}

async function rotated(store: Store, known: Row<"webhooks">, wish: WebhookWish): Promise<WebhookUpsert> {
  const { db, clock, keys } = store;
  const now = clock();
  const rotation = known.rotation + 1;
  const signingSecret = webhookSecret(keys.purposeKey("webhooks"), known.public_id, rotation);
  const row = await db
    .updateTable("webhooks")
    .set({
      event_types: storedEventTypes(wish.eventTypes),
      city: wish.city,
      rotation,
      secret_hash: sha256Hex(signingSecret),
      previous_valid_until: now + WEBHOOK_SECRET_OVERLAP_HOURS * HOUR_MS,
      updated_at: now,
      ...(known.status === "disabled" && {
        status: "pending",
        status_reason: null,
        failures: 0,
        failing_since: null,
      }),
    })
    .where("public_id", "=", known.public_id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { outcome: "rotated", webhook: webhookOf(row), signingSecret };
}
