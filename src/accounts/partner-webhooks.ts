import type { DeliverySetup } from "../contract/accounts/delivery-setup.ts";
import { queuedWebhookWords } from "../contract/accounts/delivery-words.ts";
import {
  type PartnerWebhook,
  type WebhookDeliveries,
  type WebhookDone,
  type WebhookList,
  WebhookRequest,
  type WebhookResponse,
} from "../contract/accounts/partner.ts";
import { EventType } from "../contract/enums.ts";
import { MAX_WEBHOOKS_PER_CLIENT } from "../contract/limits.ts";
import { SCHEMA } from "../contract/versions.ts";
import { enqueueTest, enqueueVerification } from "../delivery/email/messages.ts";
import { PublicError } from "../kernel/errors.ts";
import { isoTime } from "../kernel/time.ts";
import { coveredCity } from "../resources/cities/covered-city.ts";
import type { StateParts } from "../state/open-state.ts";
import type { Delivery } from "../state/outbox/outbox-items.ts";
import type { PartnerClient } from "../state/partners/partners.ts";
import type { Webhook } from "../state/webhooks/webhook-row.ts";
import type { AccountParts } from "./account-parts.ts";
import { fieldError, parseFields, type Reply } from "./reply.ts";

/** What a partner does with his endpoints. An endpoint of somebody else is a 404 like one that never was. */

const NONCE_BYTES = 8;

/** Throws PublicError 400, 404 for an unknown city, or 409 when the client has its number of endpoints. */
export async function createWebhook(
  parts: AccountParts,
  client: PartnerClient,
  body: unknown,
): Promise<Reply & { readonly body: WebhookResponse }> {
  const { endpoint_url: endpointUrl, event_types, city } = parseFields(WebhookRequest, body);
  const problem = parts.endpointProblem(endpointUrl);
  if (problem !== undefined) throw fieldError("endpoint_url", problem);
  if (city !== undefined) coveredCity(parts.snapshot(), city);
  const state = await parts.state.get();
  const made = await state.transaction(async ({ webhooks, outbox }) => {
    const filters = { eventTypes: event_types ?? null, city: city ?? null };
    const upsert = await webhooks.upsert({ owner: ownerOf(client), endpointUrl, ...filters });
    if (upsert.outcome !== "limit_reached")
      await enqueueVerification(outbox, upsert.webhook, isoTime(parts.clock()));
    return upsert;
  });
  if (made.outcome === "limit_reached")
    throw new PublicError(409, `webhook endpoint limit reached (${made.limit}): remove one first`);
  const { publicId: public_id, status } = made.webhook;
  return {
    status: made.outcome === "created" ? 201 : 200,
    body: {
      schema: SCHEMA.partnerWebhook,
      ok: true,
      webhook: { public_id, endpoint_url: made.webhook.endpointUrl, status },
      signing_secret: made.signingSecret,
      note: status === "pending" ? pendingNote(parts.delivery()) : ROTATED_NOTE,
    },
  };
}

const pendingNote = (delivery: DeliverySetup) =>
  `Store the secret: it is not shown again. ${queuedWebhookWords("A signed webhook.verification message", delivery)} Deliveries begin once the endpoint has returned the challenge.`;
const ROTATED_NOTE =
  "Store the new secret: it is not shown again. For 24 hours, every delivery is also signed with the previous one.";

export async function listWebhooks(parts: AccountParts, client: PartnerClient): Promise<WebhookList> {
  const { webhooks } = await parts.state.get();
  return {
    schema: SCHEMA.partnerWebhook,
    limit: MAX_WEBHOOKS_PER_CLIENT,
    webhooks: (await webhooks.of(ownerOf(client))).map(partnerWebhook),
  };
}

export async function removeWebhook(
  parts: AccountParts,
  client: PartnerClient,
  id: string,
): Promise<WebhookDone> {
  const state = await parts.state.get();
  await state.transaction(async (within) => {
    const { publicId } = await ownWebhook(within, client, id);
    await within.outbox.cancel(publicId, "endpoint removed");
    await within.webhooks.remove(publicId);
  });
  return done(id, "Removed. Pending deliveries were dropped.");
}

/** Throws PublicError 409 for an endpoint that is not verified. */
export async function testWebhook(
  parts: AccountParts,
  client: PartnerClient,
  id: string,
): Promise<WebhookDone> {
  const state = await parts.state.get();
  const webhook = await ownWebhook(state, client, id);
  const nonce = parts.random(NONCE_BYTES).toString("hex");
  const queued = await enqueueTest(state.outbox, webhook, nonce, isoTime(parts.clock()));
  if (queued === 0)
    throw new PublicError(
      409,
      `the endpoint is ${webhook.status}: only verified endpoints can receive tests`,
    );
  return done(id, queuedWebhookWords("A webhook.test message", parts.delivery()));
}

/** Throws PublicError 409 for an endpoint that waits for no verification. */
export async function verifyWebhook(
  parts: AccountParts,
  client: PartnerClient,
  id: string,
): Promise<WebhookDone> {
  const state = await parts.state.get();
  await state.transaction(async (within) => {
    const webhook = await ownWebhook(within, client, id);
    if (webhook.status !== "pending")
      throw new PublicError(
        409,
        `the endpoint is ${webhook.status}, not pending: create it again to enable it`,
      );
    if ((await enqueueVerification(within.outbox, webhook, isoTime(parts.clock()))) > 0) return;
    // The challenge of this secret was sent before: the same message goes out again, with a new challenge.
    const [earlier] = await within.outbox.list({ target: webhook.publicId, kind: "webhook", limit: 1 });
    if (earlier !== undefined) await within.outbox.replay(earlier.id);
  });
  return done(id, queuedWebhookWords("A webhook.verification message", parts.delivery()));
}

export async function listDeliveries(
  parts: AccountParts,
  client: PartnerClient,
  id: string,
): Promise<WebhookDeliveries> {
  const state = await parts.state.get();
  const { publicId } = await ownWebhook(state, client, id);
  const items = await state.outbox.list({ target: publicId, kind: "webhook" });
  return {
    schema: SCHEMA.partnerWebhook,
    public_id: publicId,
    deliveries: await Promise.all(items.map((item) => deliveryOf(state, item))),
  };
}

/** Throws PublicError 409 for a delivery that still waits. */
export async function replayDelivery(
  parts: AccountParts,
  client: PartnerClient,
  id: string,
  delivery: string,
): Promise<WebhookDone> {
  const state = await parts.state.get();
  const { publicId } = await ownWebhook(state, client, id);
  const number = /^[1-9]\d{0,14}$/.test(delivery) ? Number(delivery) : 0;
  const [item] = await state.outbox.list({
    target: publicId,
    kind: "webhook",
    beforeId: number + 1,
    limit: 1,
  });
  if (item?.id !== number) throw new PublicError(404, "no such delivery");
  if (!(await state.outbox.replay(number)))
    throw new PublicError(409, `the delivery is ${item.state}: only finished deliveries can be repeated`);
  return done(id, queuedWebhookWords("The same message, with the same webhook-id,", parts.delivery()));
}

/** Throws PublicError 404. */
async function ownWebhook(
  { webhooks }: Pick<StateParts, "webhooks">,
  client: PartnerClient,
  id: string,
): Promise<Webhook> {
  const webhook = await webhooks.get(id);
  const owner = ownerOf(client);
  if (webhook?.owner.kind !== owner.kind || webhook.owner.publicId !== owner.publicId)
    throw new PublicError(404, "no such webhook");
  return webhook;
}

function ownerOf({ publicId }: PartnerClient) {
  return { kind: "client", publicId } as const;
}

function done(public_id: string, note: string): WebhookDone {
  return { ok: true, public_id, note };
}

async function deliveryOf({ outbox }: StateParts, item: Delivery) {
  const { id, key, state, createdAt, finishedAt } = item;
  const attempts = await outbox.attempts(id);
  return {
    id,
    message_id: key,
    state,
    created_at: isoTime(createdAt),
    finished_at: isoTimeOrNull(finishedAt),
    attempts: attempts.map(({ attemptedAt, durationMs, statusCode, error }) => ({
      attempted_at: isoTime(attemptedAt),
      duration_ms: durationMs,
      status_code: statusCode,
      error,
    })),
  };
}

export function partnerWebhook(webhook: Webhook): PartnerWebhook {
  return {
    public_id: webhook.publicId,
    endpoint_url: webhook.endpointUrl,
    status: webhook.status,
    status_reason: webhook.statusReason,
    event_types: [...(webhook.eventTypes ?? EventType.options)],
    city: webhook.city,
    failures: webhook.failures,
    created_at: isoTime(webhook.createdAt),
    verified_at: isoTimeOrNull(webhook.verifiedAt),
    last_success_at: isoTimeOrNull(webhook.lastSuccessAt),
  };
}

export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}
