import { ACTIVITY_WINDOW_DAYS, MIN_NAMED_REQUESTS, RAW_ACTIVITY_DAYS } from "../../contract/limits.ts";
import { NoParams } from "../../contract/params.ts";
import { MachineActivity } from "../../contract/service/machine-activity.ts";
import { SCHEMA } from "../../contract/versions.ts";
import { DAY_MS, isoTime, utcDayStart } from "../../kernel/time.ts";
import type { ReleaseRow } from "../../snapshot/rows.ts";
import { defineResource } from "../define.ts";
import { machineActivityUrl, methodologyUrl } from "../links.ts";
import { timeOrNull } from "../plain-values.ts";
import {
  attributionOf,
  changeOf,
  countsOf,
  dailyOf,
  type Measured,
  rankings,
  trafficClasses,
} from "./activity-wire.ts";

export const machineActivity = defineResource({
  operationId: "getMachineActivity",
  path: "/api/v1/machine-activity",
  summary: "Get counts of machine requests",
  description:
    "Covers the whole UTC days before the release. The methodology defines every count. Client addresses are not stored, and rarely requested records are not named.",
  pathParams: {},
  query: NoParams.shape,
  wire: MachineActivity,
  example: { path: {}, query: {} },
  errors: [400],
  enumerate: () => [{}],
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
