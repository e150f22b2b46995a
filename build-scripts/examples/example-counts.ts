import type { ReportOutcome } from "../../src/contract/enums.ts";
import { DEMAND } from "../../src/contract/limits.ts";
import type { ReportCounts } from "../../src/contract/service/status.ts";
import { DAY_MS, isoDate } from "../../src/kernel/time.ts";
import { PARAMETERS } from "../../src/method/numbers.ts";
import type { ActivityInput } from "../../src/snapshot/activity.ts";
import type { DemandInput } from "../../src/snapshot/demand.ts";
import { countReports } from "../../src/state/reports.ts";

/** REST, MCP and other requests of each day, and clients; the totals below fit them, as a test says. */
const DAYS = [
  [90, 30, 24, 31],
  [96, 34, 25, 33],
  [104, 41, 27, 36],
  [88, 28, 23, 30],
  [110, 37, 29, 37],
  [70, 16, 28, 25],
  [62, 14, 24, 22],
] as const;

const COUNTS: ActivityInput["counts"] = {
  externalRequests: 1000,
  internalRequests: 2016,
  dailyClientInstances: 214,
  recurringClients: 6,
  transport: { rest: 620, mcp: 200, other: 180 },
  clientClass: {
    search_crawler: 140,
    ai_crawler: 310,
    authenticated_partner: 120,
    anonymous_or_unattributed: 330,
    other_client: 100,
  },
  status: { "2xx": 880, "3xx": 52, "4xx": 60, "5xx": 6, unclassified: 2 },
  timedOut: 2,
  schemaFailures: 24,
  rateLimited: 9,
};

/** Invented figures for the week before `windowEnd`, the start of a UTC day. */
export function exampleActivity(windowEnd: number): ActivityInput {
  const windowStart = windowEnd - DAYS.length * DAY_MS;
  return {
    measuredSince: isoDate(windowEnd - 30 * DAY_MS),
    windowStart,
    windowEnd,
    counts: COUNTS,
    previousExternalRequests: 800,
    latestExternalRequestAt: windowEnd - 17_000,
    attribution: { apiKey: 120, declaredCrawler: 490, none: 390 },
    topEndpoints: ranking({
      getEntity: 190,
      searchEntities: 150,
      getCityIndex: 120,
      record_page: 90,
      getPulse: 80,
      getEvidencePacket: 60,
      city_page: 45,
      listCities: 20,
      getLlmsTxt: 15,
      getOpenApi: 10,
    }),
    topTools: ranking({
      check_physical_evidence: 84,
      get_physical_presence: 46,
      city_index: 22,
      compare_presence: 12,
      get_pulse: 9,
    }),
    topCities: ranking({ exampleville: 410, examplebury: 130 }),
    topRecords: ranking({ ex_bakery: 96, ex_ferry: 41, ex_plumber: 33, ex_bookshop: 12 }),
    topCrawlers: ranking({ GPTBot: 160, Googlebot: 96, claudebot: 90, "ChatGPT-User": 60, bingbot: 44 }),
    daily: DAYS.map(([rest, mcp, other, clientInstances], day) => ({
      day: isoDate(windowStart + day * DAY_MS),
      externalRequests: rest + mcp + other,
      clientInstances,
      transport: { rest, mcp, other },
    })),
  };
}

function ranking(requests: Readonly<Record<string, number>>): ActivityInput["topCities"] {
  return Object.entries(requests).map(([value, count]) => ({ value, requests: count }));
}

/** Invented figures for the days before `windowEnd`, the start of a UTC day: one city with demand enough to be published, and one without. */
export function exampleDemand(windowEnd: number): DemandInput {
  return {
    windowEnd,
    windowDays: DEMAND.windowDays,
    cities: [
      {
        city: "exampleville",
        dailyClients: 164,
        searches: 412,
        searchesWithoutResult: 37,
        alertSubscriptions: 5,
      },
      { city: "examplebury", dailyClients: 6, searches: 11, searchesWithoutResult: 4, alertSubscriptions: 0 },
    ],
  };
}

/** Days from receipt to the end, and if it was decided, days to that and how. */
const REPORTS: readonly (readonly [number, (readonly [number, ReportOutcome])?])[] = [
  [71, [2, "upheld"]],
  [60, [1, "not_upheld"]],
  [44, [4, "upheld"]],
  [43, [3, "duplicate"]],
  [20, [1, "out_of_scope"]],
  [9],
  [2],
];

/** Invented reports of the days before `until`, the start of a UTC day. */
export function exampleReportCounts(until: number): ReportCounts {
  const reports = REPORTS.map(([back, decision]) => {
    const receivedAt = until - back * DAY_MS;
    if (decision === undefined) return { receivedAt, resolutions: [] };
    const [days, outcome] = decision;
    return { receivedAt, resolutions: [{ outcome, resolvedAt: receivedAt + days * DAY_MS }] };
  });
  return countReports(reports, { from: until - PARAMETERS.samples.windowDays * DAY_MS, until });
}
