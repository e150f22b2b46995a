/** Conversion of the state's request counts to wire objects. */
import { ClientClass } from "../../contract/enums.ts";
import type { MachineActivity } from "../../contract/service/machine-activity.ts";
import type { PublishedActivity } from "../../snapshot/activity.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { recordUrl } from "../links.ts";

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
      return city === undefined ? [] : [{ city: value, name: city.name, requests }];
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
