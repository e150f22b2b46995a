import { ACCOUNT_OPERATIONS } from "../contract/accounts/account-operations.ts";
import type { PartnerPortalResponse } from "../contract/accounts/partner.ts";
import { MAX_WEBHOOKS_PER_CLIENT } from "../contract/limits.ts";
import { LICENSE } from "../contract/records/claim-boundary.ts";
import { SCHEMA } from "../contract/versions.ts";
import { PublicError } from "../kernel/errors.ts";
import { isoTime } from "../kernel/time.ts";
import { envelope } from "../resources/envelope.ts";
import { mcpUrl } from "../resources/links.ts";
import type { PartnerClient, PartnerKey, QuotaState } from "../state/partners/partners.ts";
import type { PartnerUsage } from "../state/usage/usage-reports.ts";
import { type AccountDeps, defineAccountOperation } from "./define.ts";
import { isoTimeOrNull, partnerWebhook } from "./partner-webhooks.ts";

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
  const endpoints = (await webhooks.of({ kind: "client", publicId })).map(partnerWebhook);
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
