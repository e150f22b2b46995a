import { z } from "zod";
import { citySlug } from "../cities/city.ts";
import { EventType, WebhookStatus } from "../enums.ts";
import { envelopeFields } from "../envelope.ts";
import { CityNameOrNull, Count, Timestamp, Uri } from "../fields.ts";
import { MAX_QUERY_TEXT } from "../limits.ts";
import { SCHEMA } from "../versions.ts";
import { EventTypes } from "./alerts.ts";
import { WebhookUrl } from "./delivery.ts";

/** Request body of interface 4.20. */
export const WebhookRequest = z
  .strictObject({
    endpoint_url: WebhookUrl.describe("https URL that receives deliveries by POST."),
    event_types: EventTypes.optional(),
    city: z
      .string("must be a string")
      .min(1, "must not be blank")
      .max(MAX_QUERY_TEXT, `must be at most ${MAX_QUERY_TEXT} characters long`)
      .overwrite(citySlug)
      .optional()
      .describe("City slug; case-insensitive. Only events of this city. Default: all cities."),
  })
  .meta({ id: "PartnerWebhookRequest", description: "A webhook endpoint with its filters." });
export type WebhookRequest = z.infer<typeof WebhookRequest>;

const endpoint = {
  public_id: z.string(),
  endpoint_url: Uri,
  status: WebhookStatus,
};

const PartnerWebhook = z
  .looseObject({
    ...endpoint,
    status_reason: z.string().nullable().describe("Reason why the endpoint was disabled."),
    event_types: z.array(EventType).describe("All event types that are sent."),
    city: z.string().nullable().describe("City slug; null for all cities."),
    city_name: CityNameOrNull,
    failures: Count.describe("Failed attempts since the last success."),
    created_at: Timestamp,
    verified_at: Timestamp.nullable(),
    last_success_at: Timestamp.nullable(),
  })
  .meta({ id: "PartnerWebhook", description: "A webhook endpoint as its owner sees it." });
export type PartnerWebhook = z.infer<typeof PartnerWebhook>;

export const WebhookResponse = z
  .looseObject({
    schema: z.literal(SCHEMA.partnerWebhook),
    ok: z.boolean(),
    webhook: z.looseObject(endpoint),
    signing_secret: z
      .string()
      .describe(
        "Returned only once. The secret is derived from the service's key and cannot be shown again.",
      ),
    note: z.string(),
  })
  .meta({ id: "PartnerWebhookResponse", description: "A created endpoint or a rotated secret." });

export const WebhookList = z
  .looseObject({
    schema: z.literal(SCHEMA.partnerWebhook),
    limit: Count.describe("Maximum number of endpoints per client."),
    webhooks: z.array(PartnerWebhook).describe("Oldest first."),
  })
  .meta({ id: "PartnerWebhookList", description: "The client's endpoints." });

/** Confirms that a message was queued for an endpoint or that the endpoint was removed. */
export const WebhookDone = z
  .looseObject({ ok: z.boolean(), public_id: z.string(), note: z.string() })
  .meta({ id: "PartnerWebhookDone", description: "Result of an operation on an endpoint." });
export type WebhookDone = z.infer<typeof WebhookDone>;

export const WebhookDeliveries = z
  .looseObject({
    schema: z.literal(SCHEMA.partnerWebhook),
    public_id: z.string(),
    deliveries: z
      .array(
        z.looseObject({
          id: z.int().positive(),
          message_id: z.string().describe("`webhook-id` of all attempts."),
          state: z.enum(["waiting", "leased", "done", "dead"]),
          created_at: Timestamp,
          next_attempt_at: Timestamp.nullable().describe(
            "When it is sent next; null unless `state` is `waiting`.",
          ),
          finished_at: Timestamp.nullable(),
          attempts: z.array(
            z.looseObject({
              attempted_at: Timestamp,
              duration_ms: Count,
              status_code: z.int().nullable().describe("HTTP status of the response; null when none came."),
              error: z.string().nullable(),
            }),
          ),
        }),
      )
      .describe("Newest first."),
  })
  .meta({ id: "PartnerWebhookDeliveries", description: "Deliveries to an endpoint, sent and pending." });

/** Interface 2.13. */
export const PartnerPortalResponse = z
  .looseObject({
    schema: z.literal(SCHEMA.partnerPortal),
    client: z.looseObject({
      public_id: z.string(),
      name: z.string(),
      status: z.enum(["active", "disabled"]),
      portal_access: z.boolean(),
      created_at: Timestamp,
    }),
    quota: z.looseObject({
      daily: Count,
      monthly: Count,
      used_today: Count.describe("Public reads and MCP messages in the current UTC day."),
      used_this_month: Count.describe("The same in the current UTC month."),
      daily_remaining: Count.describe(
        "At 0, requests with the key have the rate limit of their network address.",
      ),
      monthly_remaining: Count,
      daily_resets_at: Timestamp,
      monthly_resets_at: Timestamp,
    }),
    usage: z.looseObject({
      requests_7d: Count,
      errors_24h: Count.describe(
        "Responses with status 400 and above, and requests without a response. Requests beyond a quota or rate limit are not among them.",
      ),
      p95_latency_ms_24h: Count.nullable().describe("Null when there were no requests in that time."),
      endpoint_mix_30d: z.array(z.looseObject({ operation: z.string(), requests: Count })),
      recent_requests: z.array(
        z.looseObject({
          requested_at: Timestamp,
          operation: z.string(),
          tool: z.string().nullable(),
          status: z.int().nullable(),
          latency_ms: Count.nullable(),
        }),
      ),
      note: z.string(),
    }),
    api_keys: z.array(
      z.looseObject({
        public_id: z.string(),
        prefix: z.string().describe("First characters of the key. Whole keys are not stored."),
        status: z.enum(["active", "revoked"]),
        created_at: Timestamp,
        last_used_at: Timestamp.nullable(),
        revoked_at: Timestamp.nullable(),
      }),
    ),
    webhooks: z.looseObject({ limit: Count, count: Count, endpoints: z.array(PartnerWebhook) }),
    integrations: z.looseObject({ rest: Uri, mcp: Uri, openapi: Uri, examples: Uri }),
    attribution: z.looseObject({
      client_class: z.literal("authenticated_partner"),
      note: z.string(),
      license: z.string(),
    }),
    ...envelopeFields,
  })
  .meta({ id: "PartnerPortalResponse", description: "A client's quota, usage, keys and endpoints." });
export type PartnerPortalResponse = z.infer<typeof PartnerPortalResponse>;
