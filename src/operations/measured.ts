import { ACTIVITY_WINDOW_DAYS, DEMAND } from "../contract/limits.ts";
import type { ReportCounts } from "../contract/service/status.ts";
import { DAY_MS, utcDayStart } from "../kernel/time.ts";
import { PARAMETERS } from "../method/parameters.ts";
import type { ActivityInput } from "../snapshot/activity.ts";
import type { DemandInput } from "../snapshot/demand.ts";
import type { ReleaseSettings } from "../snapshot/release-settings.ts";
import type { State } from "../state/open-state.ts";
import { countReports, type Reports } from "../state/reports/reports.ts";
import type { Usage } from "../state/usage/usage.ts";

/** The counts of a release for `asOf` (ms): whole UTC days before it. */
export async function measured(
  { usage, reports }: State,
  asOf: number,
): Promise<Pick<ReleaseSettings, "activity" | "demand" | "reportCounts">> {
  const until = utcDayStart(asOf);
  return {
    activity: await activityBefore(usage, until),
    demand: await demandBefore(usage, until),
    reportCounts: await reportCountsBefore(reports, until),
  };
}

/** Machine activity of the measured days before `windowEnd`, seven at most; undefined when none was measured. */
export async function activityBefore(usage: Usage, windowEnd: number): Promise<ActivityInput | undefined> {
  const measuredSince = await usage.countedSince();
  if (measuredSince === undefined) return undefined;
  const measuredDays = Math.round((windowEnd - Date.parse(measuredSince)) / DAY_MS);
  if (measuredDays <= 0) return undefined;
  const days = Math.min(ACTIVITY_WINDOW_DAYS, measuredDays);
  const { previousExternalRequests, ...report } = await usage.report(windowEnd, days);
  return {
    ...report,
    measuredSince,
    previousExternalRequests: measuredDays >= 2 * days ? previousExternalRequests : null,
    topEndpoints: [...report.topEndpoints],
    topTools: [...report.topTools],
    topCities: [...report.topCities],
    topRecords: [...report.topRecords],
    topCrawlers: [...report.topCrawlers],
    daily: [...report.daily],
  };
}

/** Demand in the days before `windowEnd` in which searches were counted, thirty at most; undefined when there were none. */
async function demandBefore(usage: Usage, windowEnd: number): Promise<DemandInput | undefined> {
  const since = await usage.countedSince("counted");
  if (since === undefined) return undefined;
  const windowDays = Math.min(DEMAND.windowDays, Math.round((windowEnd - Date.parse(since)) / DAY_MS));
  if (windowDays <= 0) return undefined;
  const { covered } = await usage.demand(windowEnd, windowDays);
  return { windowEnd, windowDays, cities: covered.map((city) => ({ ...city })) };
}

/** Reports of the days of the samples before `until`, as they stood then; undefined when none could be received. */
export async function reportCountsBefore(reports: Reports, until: number): Promise<ReportCounts | undefined> {
  if ((await reports.since()) >= until) return undefined;
  const from = until - PARAMETERS.samples.windowDays * DAY_MS;
  return countReports(await reports.courses(), { from, until });
}
