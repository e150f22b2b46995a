import { ACCOUNT_OPERATIONS } from "../contract/accounts/account-operations.ts";
import { type DeliverySetup, queuedWebhookWords } from "../contract/accounts/delivery.ts";
import type {
  PartnerPortalResponse,
  PartnerWebhook,
  WebhookDone,
  WebhookRequest,
} from "../contract/accounts/partner.ts";
import { EventType } from "../contract/enums.ts";
import { MAX_WEBHOOKS_PER_CLIENT } from "../contract/limits.ts";
import { LICENSE } from "../contract/records/claim-boundary.ts";
import { SCHEMA } from "../contract/versions.ts";
import { PublicError } from "../kernel/errors.ts";
import { isoTime } from "../kernel/time.ts";
import { cityNameOrNull, coveredCity } from "../resources/cities/cities.ts";
import { envelope } from "../resources/envelope.ts";
import { mcpUrl } from "../resources/links.ts";
import type { Delivery } from "../state/delivery/outbox.ts";
import type { Webhook } from "../state/delivery/webhooks.ts";
import type { StateStores } from "../state/open-state.ts";
import type { PartnerClient, PartnerKey, QuotaState } from "../state/partners.ts";
import type { PartnerUsage } from "../state/usage/usage-reports.ts";
import {
  type AccountCall,
  type AccountDeps,
  defineAccountOperation,
  defineAccountWrite,
  fieldError,
  type Reply,
} from "./define.ts";
import { enqueueTest, enqueueVerification } from "./delivery/messages.ts";

/** Everything that a client may see of itself (interface 2.13). */
export const getPartnerPortal = defineAccountOperation(
  ACCOUNT_OPERATIONS.getPartnerPortal,
  async (deps, call) => {
    const client = call.client();
    if (!client.portalAccess) throw new PublicError(403, "portal access is not enabled for this client");
    return { status: 200, body: await partnerPortal(deps, client) };
  },
);

async function partnerPortal(deps: AccountDeps, client: PartnerClient): Promise<PartnerPortalResponse> {
  const { partners, usage, webhooks } = await deps.state.get();
  const { publicId } = client;
  const quota = await partners.quota(publicId);
  if (quota === undefined) throw new PublicError(403, "this client has been deleted");
  const used = await usage.ofClient(publicId);
  const keys = await partners.listKeys(publicId);
  const endpoints = (await webhooks.of({ kind: "client", publicId })).map((webhook) =>
    partnerWebhook(webhook, deps),
  );
  const snapshot = deps.snapshot();
  const release = snapshot.release();
  const { baseUrl } = release;
  return {
    schema: SCHEMA.partnerPortal,
    client: {
      public_id: publicId,
      name: client.name,
      status: client.status,
      portal_access: client.portalAccess,
      created_at: isoTime(client.createdAt),
    },
    quota: quotaFields(quota),
    usage: usageFields(used),
    api_keys: keys.map(keyFields),
    webhooks: { limit: MAX_WEBHOOKS_PER_CLIENT, count: endpoints.length, endpoints },
    integrations: {
      rest: `${baseUrl}/api/v1`,
      mcp: mcpUrl(baseUrl),
      openapi: `${baseUrl}/openapi.json`,
      examples: `${baseUrl}/api-examples.json`,
    },
    attribution: { client_class: "authenticated_partner", note: ATTRIBUTION_NOTE, license: LICENSE },
    ...envelope(release, snapshot.cities()),
  };
}

const ATTRIBUTION_NOTE =
  "Counts requests that count against this client's quotas. Downloads of files from a front server or cache are never counted.";

const USAGE_NOTE =
  "Requests are stored in batches, so the newest may be missing for a few seconds. Single requests are kept for 90 days.";

function quotaFields({ daily, monthly }: QuotaState): PartnerPortalResponse["quota"] {
  return {
    daily: daily.quota,
    monthly: monthly.quota,
    used_today: daily.used,
    used_this_month: monthly.used,
    daily_remaining: daily.remaining,
    monthly_remaining: monthly.remaining,
    daily_resets_at: isoTime(daily.resetsAt),
    monthly_resets_at: isoTime(monthly.resetsAt),
  };
}

function usageFields(usage: PartnerUsage): PartnerPortalResponse["usage"] {
  const { requests7d, errors24h, p95LatencyMs24h, endpointMix30d, recentRequests } = usage;
  return {
    requests_7d: requests7d,
    errors_24h: errors24h,
    p95_latency_ms_24h: rounded(p95LatencyMs24h),
    endpoint_mix_30d: [...endpointMix30d],
    recent_requests: recentRequests.map(({ at, operation, tool, status, latencyMs }) => ({
      requested_at: isoTime(at),
      operation,
      tool,
      status,
      latency_ms: rounded(latencyMs),
    })),
    note: USAGE_NOTE,
  };
}

function rounded(milliseconds: number | null): number | null {
  return milliseconds === null ? null : Math.round(milliseconds);
}

function keyFields({ publicId, prefix, createdAt, lastUsedAt, revokedAt }: PartnerKey) {
  return {
    public_id: publicId,
    prefix,
    status: revokedAt === null ? ("active" as const) : ("revoked" as const),
    created_at: isoTime(createdAt),
    last_used_at: isoTimeOrNull(lastUsedAt),
    revoked_at: isoTimeOrNull(revokedAt),
  };
}

/** A partner's own endpoints. The endpoint of another client is a 404, like an unknown one. */

const NONCE_BYTES = 8;

/** Throws PublicError 400, 404 for an unknown city, or 409 when the client has its number of endpoints. */
export const createPartnerWebhook = defineAccountWrite(
  ACCOUNT_OPERATIONS.createPartnerWebhook,
  async (deps, request, call) => {
    checkWebhook(deps, request);
    const upsert = await storeWebhook(deps, call.client(), request);
    if (upsert.outcome === "limit_reached")
      throw new PublicError(409, `webhook endpoint limit reached (${upsert.limit}): remove one first`);
    const { publicId: public_id, endpointUrl, status } = upsert.webhook;
    return {
      status: upsert.outcome === "created" ? 201 : 200,
      body: {
        schema: SCHEMA.partnerWebhook,
        ok: true,
        webhook: { public_id, endpoint_url: endpointUrl, status },
        signing_secret: upsert.signingSecret,
        note: status === "pending" ? pendingNote(deps.delivery()) : ROTATED_NOTE,
      },
    };
  },
);

function checkWebhook(deps: AccountDeps, { endpoint_url, city }: WebhookRequest): void {
  const problem = deps.endpointProblem(endpoint_url);
  if (problem !== undefined) throw fieldError("endpoint_url", problem);
  if (city !== undefined) coveredCity(deps.snapshot(), city);
}

async function storeWebhook(deps: AccountDeps, client: PartnerClient, request: WebhookRequest) {
  const { endpoint_url: endpointUrl, event_types: eventTypes = null, city = null } = request;
  const state = await deps.state.get();
  return state.transaction(async ({ webhooks, outbox }) => {
    const upsert = await webhooks.upsert({ owner: ownerOf(client), endpointUrl, eventTypes, city });
    if (upsert.outcome !== "limit_reached")
      await enqueueVerification(outbox, upsert.webhook, isoTime(deps.clock()));
    return upsert;
  });
}

const pendingNote = (delivery: DeliverySetup) =>
  `Store the secret: it is not shown again. ${queuedWebhookWords("A signed webhook.verification message", delivery)} Deliveries begin once the endpoint has returned the challenge. POST /api/v1/partner/webhooks/{public_id}/verify sends it again at once.`;
const ROTATED_NOTE =
  "Store the new secret: it is not shown again. For 24 hours, every delivery is also signed with the previous one.";

export const listPartnerWebhooks = defineAccountOperation(
  ACCOUNT_OPERATIONS.listPartnerWebhooks,
  async (deps, call) => {
    const client = call.client();
    const { webhooks } = await deps.state.get();
    return {
      status: 200,
      body: {
        schema: SCHEMA.partnerWebhook,
        limit: MAX_WEBHOOKS_PER_CLIENT,
        webhooks: (await webhooks.of(ownerOf(client))).map((webhook) => partnerWebhook(webhook, deps)),
      },
    };
  },
);

export const removePartnerWebhook = defineAccountOperation(
  ACCOUNT_OPERATIONS.removePartnerWebhook,
  async (deps, call) => {
    const state = await deps.state.get();
    await state.transaction(async (within) => {
      const { publicId } = await ownWebhook(within, call);
      await within.outbox.cancel(publicId, "endpoint removed");
      await within.webhooks.remove(publicId);
    });
    await state.cutLog();
    return done(200, call, "Removed. Pending deliveries were dropped.");
  },
);

/** Throws PublicError 409 for an endpoint that is not verified. */
export const testPartnerWebhook = defineAccountOperation(
  ACCOUNT_OPERATIONS.testPartnerWebhook,
  async (deps, call) => {
    const state = await deps.state.get();
    const webhook = await ownWebhook(state, call);
    const nonce = deps.random(NONCE_BYTES).toString("hex");
    const queued = await enqueueTest(state.outbox, webhook, nonce, isoTime(deps.clock()));
    if (queued === 0)
      throw new PublicError(
        409,
        `the endpoint is ${webhook.status}: only verified endpoints can receive tests`,
      );
    return done(202, call, queuedWebhookWords("A webhook.test message", deps.delivery()));
  },
);

/** Throws PublicError 409 for an endpoint that waits for no verification. */
export const verifyPartnerWebhook = defineAccountOperation(
  ACCOUNT_OPERATIONS.verifyPartnerWebhook,
  async (deps, call) => {
    const state = await deps.state.get();
    await state.transaction(async (within) => {
      const webhook = await ownWebhook(within, call);
      if (webhook.status !== "pending")
        throw new PublicError(
          409,
          `the endpoint is ${webhook.status}, not pending: create it again to enable it`,
        );
      if ((await enqueueVerification(within.outbox, webhook, isoTime(deps.clock()))) > 0) return;
      // This secret has had its message: it goes out now, or once more, with a new challenge. One on its way is left alone.
      const [earlier] = await within.outbox.list({ target: webhook.publicId, kind: "webhook", limit: 1 });
      if (earlier !== undefined && !(await within.outbox.hasten(earlier.id)))
        await within.outbox.replay(earlier.id);
    });
    return done(202, call, queuedWebhookWords("A webhook.verification message", deps.delivery()));
  },
);

export const listWebhookDeliveries = defineAccountOperation(
  ACCOUNT_OPERATIONS.listWebhookDeliveries,
  async (deps, call) => {
    const state = await deps.state.get();
    const { publicId } = await ownWebhook(state, call);
    const items = await state.outbox.list({ target: publicId, kind: "webhook" });
    return {
      status: 200,
      body: {
        schema: SCHEMA.partnerWebhook,
        public_id: publicId,
        deliveries: await Promise.all(items.map((item) => deliveryOf(state, item))),
      },
    };
  },
);

/** Throws PublicError 409 for a delivery that still waits. */
export const replayWebhookDelivery = defineAccountOperation(
  ACCOUNT_OPERATIONS.replayWebhookDelivery,
  async (deps, call) => {
    const state = await deps.state.get();
    const { publicId } = await ownWebhook(state, call);
    const delivery = call.path("delivery");
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
    const queued = "The same message, with the same webhook-id,";
    return done(202, call, queuedWebhookWords(queued, deps.delivery()));
  },
);

/** The endpoint that a path names. Throws PublicError 404 for one that the client does not have. */
async function ownWebhook({ webhooks }: Pick<StateStores, "webhooks">, call: WebhookCall): Promise<Webhook> {
  const owner = ownerOf(call.client());
  const webhook = await webhooks.get(call.path("webhook"));
  if (webhook?.ownerKind !== owner.kind || webhook.ownerId !== owner.publicId)
    throw new PublicError(404, "no such webhook");
  return webhook;
}

type WebhookCall = AccountCall<"webhook">;

function ownerOf({ publicId }: PartnerClient) {
  return { kind: "client", publicId } as const;
}

function done(status: 200 | 202, call: WebhookCall, note: string): Reply<WebhookDone> {
  return { status, body: { ok: true, public_id: call.path("webhook"), note } };
}

async function deliveryOf({ outbox }: StateStores, item: Delivery) {
  const { id, key, state, dueAt, createdAt, finishedAt } = item;
  const attempts = await outbox.attempts(id);
  return {
    id,
    message_id: key,
    state,
    created_at: isoTime(createdAt),
    next_attempt_at: isoTimeOrNull(state === "waiting" ? dueAt : null),
    finished_at: isoTimeOrNull(finishedAt),
    attempts: attempts.map(({ attemptedAt, durationMs, statusCode, error }) => ({
      attempted_at: isoTime(attemptedAt),
      duration_ms: durationMs,
      status_code: statusCode,
      error,
    })),
  };
}

export function partnerWebhook(
  webhook: Webhook,
  { snapshot }: Pick<AccountDeps, "snapshot">,
): PartnerWebhook {
  return {
    public_id: webhook.publicId,
    endpoint_url: webhook.endpointUrl,
    status: webhook.status,
    status_reason: webhook.statusReason,
    event_types: [...(webhook.eventTypes ?? EventType.options)],
    city: webhook.city,
    city_name: cityNameOrNull(snapshot(), webhook.city),
    failures: webhook.failures,
    created_at: isoTime(webhook.createdAt),
    verified_at: isoTimeOrNull(webhook.verifiedAt),
    last_success_at: isoTimeOrNull(webhook.lastSuccessAt),
  };
}

export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}
