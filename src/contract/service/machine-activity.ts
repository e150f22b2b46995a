import { z } from "zod";
import { ClientClass } from "../enums.ts";
import { Count, cityFields, Day, Ratio, Timestamp, Uri } from "../fields.ts";
import { MINIMUMS, RAW_ACTIVITY_DAYS } from "../limits.ts";
import { SCHEMA } from "../versions.ts";

const Transport = z.looseObject({
  rest_requests: Count.describe("Requests to paths below /api."),
  mcp_requests: Count.describe("Messages to /mcp; each message of a batch counts as one."),
  other_machine_requests: Count.describe("All other requests: feeds, ledger files, pages and their assets."),
});

const Counts = z.looseObject({
  external_requests: Count.describe(
    "All requests except internal ones. All other counts cover these requests.",
  ),
  excluded_internal_requests: Count.describe("Health checks and requests from the operator's own addresses."),
  external_daily_client_instances: Count.describe(
    "Distinct pairs of address and user agent per UTC day, summed over the days.",
  ),
  attributed_recurring_clients: Count.describe(
    "Partners (by key) and crawlers (by name) with requests on two or more days.",
  ),
  transport: Transport,
  client_class: z.looseObject({
    search_crawler_requests: Count,
    ai_crawler_requests: Count,
    authenticated_partner_requests: Count,
    anonymous_or_unattributed_requests: Count,
    other_client_requests: Count,
  }),
  response_status: z.looseObject({
    status_2xx: Count,
    status_3xx: Count,
    status_4xx: Count,
    status_5xx: Count,
    unclassified: Count.describe("The client disconnected before the response."),
  }),
  timeout_requests: Count,
  schema_validation_failures: Count,
  rate_limited_requests: Count,
});

const Change = z.looseObject({
  metric: z.string(),
  current: Count,
  previous: Count.nullable().describe(
    "Value for the same number of days before; null when they were not all measured.",
  ),
  change: z
    .number()
    .nullable()
    .describe("Relative change from `previous`; null when `previous` is null or 0."),
});

const TrafficClass = z.looseObject({
  client_class: ClientClass,
  requests: Count,
  share: Ratio.nullable().describe("Share of external requests; null when there are none."),
  definition: z.string(),
});

const Attribution = z.looseObject({
  basis: z.enum(["api_key", "declared_user_agent", "none"]),
  confidence: z.enum(["high", "low", "none"]),
  requests: Count,
  meaning: z.string(),
});

const DailyActivity = z.looseObject({
  date: Day,
  external_requests: Count,
  client_instances: Count.describe(
    "Distinct pairs of address and user agent on that day; 0 where `client_instances_withheld` is true.",
  ),
  client_instances_withheld: z
    .boolean()
    .describe(
      `True where the count is withheld because it is below ${MINIMUMS.people}, or because it would reveal one that is.`,
    ),
  transport: Transport,
});

/** Machine requests in the days before a release (interface 2.14, 4.14). */
export const MachineActivity = z
  .looseObject({
    schema: z.literal(SCHEMA.machineActivity),
    generated_at: Timestamp,
    window_start: Timestamp,
    window_end: Timestamp.describe("Exclusive. Equals `window_start` when nothing was measured."),
    window_days: Count.describe("Whole UTC days: 7, or fewer when counting began later."),
    measured_since: Day.nullable().describe("First day with a count; null when nothing was measured."),
    raw_event_retention_days: z.literal(RAW_ACTIVITY_DAYS),
    aggregate_retention: z.literal("indefinite"),
    counts: Counts,
    latest_external_request_at: Timestamp.nullable(),
    week_over_week: z.array(Change),
    traffic_classes: z.array(TrafficClass),
    attribution_confidence: z.array(Attribution),
    top_endpoints: z.array(z.looseObject({ operation: z.string(), requests: Count })),
    top_mcp_tools: z.array(z.looseObject({ tool: z.string(), requests: Count })),
    top_crawlers: z.array(z.looseObject({ name: z.string(), requests: Count })),
    most_queried_cities: z.array(z.looseObject({ ...cityFields, name: z.string(), requests: Count })),
    most_queried_entities: z.array(
      z.looseObject({ public_id: z.string(), name: z.string(), record_url: Uri, requests: Count }),
    ),
    daily: z.array(DailyActivity),
    note: z.string(),
  })
  .meta({ id: "MachineActivity", description: "Counts of machine requests to this service." });
export type MachineActivity = z.infer<typeof MachineActivity>;
