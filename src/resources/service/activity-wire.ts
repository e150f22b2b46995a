import { ClientClass } from "../../contract/enums.ts";
import type { MachineActivity } from "../../contract/service/machine-activity.ts";
import type { ActivityInput } from "../../snapshot/activity.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { recordUrl } from "../links.ts";

/** The counts of the state as the wire has them. */

/** An activity, also one in which nobody counted. */
export type Measured = Omit<ActivityInput, "measuredSince"> & { readonly measuredSince: string | null };

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

function transportOf({ rest, mcp, other }: ActivityInput["counts"]["transport"]) {
  return { rest_requests: rest, mcp_requests: mcp, other_machine_requests: other };
}

export function changeOf({ counts, previousExternalRequests: previous }: Measured) {
  const current = counts.externalRequests;
  const change = previous === null || previous === 0 ? null : rounded((current - previous) / previous);
  return { metric: "external_requests", current, previous, change };
}

const CLASS_DEFINITIONS: Readonly<Record<ClientClass, string>> = {
  search_crawler: "Its user agent names a crawler of a search engine.",
  ai_crawler: "Its user agent names a crawler or assistant of an AI service, also where that searches, too.",
  authenticated_partner: "It sent a partner's API key, whatever its user agent says.",
  anonymous_or_unattributed:
    "Its user agent names no program of the list: browsers, and whoever does not say.",
  other_client:
    "Its user agent names another program of the list: libraries, feed readers, monitors, archives, previews.",
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
      meaning: "A secret key of one partner came with the request.",
    },
    {
      basis: "declared_user_agent",
      confidence: "low",
      requests: attribution.declaredCrawler,
      meaning: "The user agent names a known crawler. Anyone can write that name, and it is not verified.",
    },
    {
      basis: "none",
      confidence: "none",
      requests: attribution.none,
      meaning: "Nothing says who asked.",
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
  return daily.map(({ day, externalRequests, clientInstances, transport }) => ({
    date: day,
    external_requests: externalRequests,
    client_instances: clientInstances,
    transport: transportOf(transport),
  }));
}

/** Shares and changes with four decimals. */
function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
