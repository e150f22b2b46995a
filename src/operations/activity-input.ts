import { ACTIVITY_WINDOW_DAYS } from "../contract/limits.ts";
import { DAY_MS, utcDayStart } from "../kernel/time.ts";
import type { ActivityInput } from "../snapshot/activity.ts";
import type { Usage } from "../state/usage/usage.ts";
import type { CommandContext } from "./context.ts";
import { readForRelease } from "./existing-state.ts";

/** What the release for `asOf` says of machine activity; undefined when nothing was measured before that day. */
export function activityInput(context: CommandContext, asOf: number): Promise<ActivityInput | undefined> {
  return readForRelease(context, "machine activity", ({ usage }) => activityBefore(usage, utcDayStart(asOf)));
}

/** The whole days before `windowEnd` that were measured, seven at most. */
export async function activityBefore(usage: Usage, windowEnd: number): Promise<ActivityInput | undefined> {
  const measuredSince = await usage.measuredSince();
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
