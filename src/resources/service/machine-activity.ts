import { ClientClass } from "../../contract/enums.ts";
import { ACTIVITY_WINDOW_DAYS, MIN_NAMED_REQUESTS, RAW_ACTIVITY_DAYS } from "../../contract/limits.ts";
import { MachineActivity } from "../../contract/service/machine-activity.ts";
import { SCHEMA } from "../../contract/versions.ts";
import { DAY_MS, isoTime, utcDayStart } from "../../kernel/time.ts";
import type { PublishedActivity } from "../../snapshot/activity.ts";
import type { ReleaseRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { defineDocument } from "../define.ts";
import { timeOrNull } from "../envelope.ts";
import { machineActivityUrl, methodologyUrl, recordUrl } from "../links.ts";

/** Conversion of the state's request counts to wire objects. */

/** Machine activity, possibly without any measurement. */
export type Measured = Omit<PublishedActivity, "measuredSince"> & { readonly measuredSince: string | null };

export function countsOf({ counts }: Measured): MachineActivity["counts"] {
  const { clientClass, status } = counts;
  return {
    external_requests: counts.externalRequests,
    excluded_internal_requests: counts.internalRequests,
    external_daily_client_instances: counts.dailyClientInstances,
    attributed_recurring_clients: counts.recurringClients,
    transport: transportOf(counts.transport),
    client_class: {
      search_crawler_requests: clientClass.search_crawler,
      ai_crawler_requests: clientClass.ai_crawler,
      authenticated_partner_requests: clientClass.authenticated_partner,
      anonymous_or_unattributed_requests: clientClass.anonymous_or_unattributed,
      other_client_requests: clientClass.other_client,
    },
    response_status: {
      status_2xx: status["2xx"],
      status_3xx: status["3xx"],
      status_4xx: status["4xx"],
      status_5xx: status["5xx"],
      unclassified: status.unclassified,
    },
    timeout_requests: counts.timedOut,
    schema_validation_failures: counts.schemaFailures,
    rate_limited_requests: counts.rateLimited,
  };
}

function transportOf({ rest, mcp, other }: PublishedActivity["counts"]["transport"]) {
  return { rest_requests: rest, mcp_requests: mcp, other_machine_requests: other };
}

export function changeOf({ counts, previousExternalRequests: previous }: Measured) {
  const current = counts.externalRequests;
  const change = previous === null || previous === 0 ? null : rounded((current - previous) / previous);
  return { metric: "external_requests", current, previous, change };
}

const CLASS_DEFINITIONS: Readonly<Record<ClientClass, string>> = {
  search_crawler: "The user agent names a search engine's crawler.",
  ai_crawler: "The user agent names a crawler or assistant of an AI service, even if it also serves search.",
  authenticated_partner: "The request has a partner's API key, regardless of the user agent.",
  anonymous_or_unattributed: "The user agent names no listed program: browsers and unidentified clients.",
  other_client:
    "The user agent names another listed program: libraries, feed readers, monitors, archives, previews.",
};

export function trafficClasses({ counts }: Measured): MachineActivity["traffic_classes"] {
  const all = counts.externalRequests;
  return ClientClass.options.map((clientClass) => {
    const requests = counts.clientClass[clientClass];
    const share = all === 0 ? null : rounded(requests / all);
    return { client_class: clientClass, requests, share, definition: CLASS_DEFINITIONS[clientClass] };
  });
}

export function attributionOf({ attribution }: Measured): MachineActivity["attribution_confidence"] {
  return [
    {
      basis: "api_key",
      confidence: "high",
      requests: attribution.apiKey,
      meaning: "The request has a partner's secret key.",
    },
    {
      basis: "declared_user_agent",
      confidence: "low",
      requests: attribution.declaredCrawler,
      meaning: "The user agent names a known crawler. This claim is not verified.",
    },
    {
      basis: "none",
      confidence: "none",
      requests: attribution.none,
      meaning: "The request does not identify the client.",
    },
  ];
}

export function rankings(snapshot: Snapshot, activity: Measured) {
  const { baseUrl } = snapshot.release();
  return {
    top_endpoints: activity.topEndpoints.map(({ value, requests }) => ({ operation: value, requests })),
    top_mcp_tools: activity.topTools.map(({ value, requests }) => ({ tool: value, requests })),
    top_crawlers: activity.topCrawlers.map(({ value, requests }) => ({ name: value, requests })),
    most_queried_cities: activity.topCities.flatMap(({ value, requests }) => {
      const city = snapshot.city(value);
      return city === undefined ? [] : [{ city: value, city_name: city.name, name: city.name, requests }];
    }),
    most_queried_entities: activity.topRecords.flatMap(({ value, requests }) => {
      const record = snapshot.record(value);
      if (record === undefined) return [];
      return [{ public_id: value, name: record.name, record_url: recordUrl(baseUrl, value), requests }];
    }),
  };
}

export function dailyOf({ daily }: Measured): MachineActivity["daily"] {
  return daily.map(({ day, externalRequests, clientInstances, clientsWithheld, transport }) => ({
    date: day,
    external_requests: externalRequests,
    client_instances: clientInstances,
    client_instances_withheld: clientsWithheld,
    transport: transportOf(transport),
  }));
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

export const machineActivity = defineDocument({
  operationId: "getMachineActivity",
  path: "/api/v1/machine-activity",
  summary: "Get counts of machine requests",
  description:
    "Covers the whole UTC days before the release. The methodology defines every count. Client addresses are not stored, and rarely requested records are not named.",
  wire: MachineActivity,
  load({ snapshot }) {
    const release = snapshot.release();
    const activity = snapshot.activity() ?? unmeasured(release);
    return {
      schema: SCHEMA.machineActivity,
      generated_at: isoTime(release.asOf),
      ...windowOf(activity),
      raw_event_retention_days: RAW_ACTIVITY_DAYS,
      aggregate_retention: "indefinite",
      counts: countsOf(activity),
      latest_external_request_at: timeOrNull(activity.latestExternalRequestAt),
      week_over_week: [changeOf(activity)],
      traffic_classes: trafficClasses(activity),
      attribution_confidence: attributionOf(activity),
      ...rankings(snapshot, activity),
      daily: dailyOf(activity),
      note: noteOf(release, activity),
    };
  },
});

/** An empty window with zeros, for a release without measurements. */
function unmeasured({ asOf }: ReleaseRow): Measured {
  const at = utcDayStart(asOf);
  return {
    measuredSince: null,
    windowStart: at,
    windowEnd: at,
    counts: {
      externalRequests: 0,
      internalRequests: 0,
      dailyClientInstances: 0,
      recurringClients: 0,
      transport: { rest: 0, mcp: 0, other: 0 },
      clientClass: {
        search_crawler: 0,
        ai_crawler: 0,
        authenticated_partner: 0,
        anonymous_or_unattributed: 0,
        other_client: 0,
      },
      status: { "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0, unclassified: 0 },
      timedOut: 0,
      schemaFailures: 0,
      rateLimited: 0,
    },
    previousExternalRequests: null,
    latestExternalRequestAt: null,
    attribution: { apiKey: 0, declaredCrawler: 0, none: 0 },
    topEndpoints: [],
    topTools: [],
    topCities: [],
    topRecords: [],
    topCrawlers: [],
    daily: [],
  };
}

function windowOf({ windowStart, windowEnd, measuredSince }: Measured) {
  return {
    window_start: isoTime(windowStart),
    window_end: isoTime(windowEnd),
    window_days: Math.round((windowEnd - windowStart) / DAY_MS),
    measured_since: measuredSince,
  };
}

function noteOf({ baseUrl }: ReleaseRow, { measuredSince, windowStart, windowEnd }: Measured): string {
  const definitions = `Definitions: ${methodologyUrl(baseUrl)}#machine-activity.`;
  if (measuredSince === null)
    return `Nothing was measured for this release: the window is empty, and the zeros say nothing about traffic. ${definitions}`;
  const days = Math.round((windowEnd - windowStart) / DAY_MS);
  const partly =
    days < ACTIVITY_WINDOW_DAYS
      ? `Counting began on ${measuredSince}, so the window is shorter than ${ACTIVITY_WINDOW_DAYS} days. `
      : "";
  return `${partly}Requests answered by caches in front of this service are not counted. Client identities are self-declared and not verified. Records with fewer than ${MIN_NAMED_REQUESTS} requests are not named. ${definitions}`;
}

/** Note that states whether and where the release has counts. */
export function usageVisibility({ activityHash, baseUrl }: ReleaseRow): {
  available: boolean;
  reason: string;
} {
  const url = machineActivityUrl(baseUrl);
  if (activityHash === null)
    return {
      available: false,
      reason: `Nothing was measured for this release. Future counts will be at ${url}.`,
    };
  return { available: true, reason: `Counts of requests in the days before this release are at ${url}.` };
}
