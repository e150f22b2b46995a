import { DAY_MS, isoDate } from "../../src/kernel/time.ts";
import type { ActivityInput } from "../../src/snapshot/activity.ts";

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
