import type { ReportCounts } from "../contract/service/report-counts.ts";
import { DAY_MS, utcDayStart } from "../kernel/time.ts";
import { PARAMETERS } from "../method/parameters.ts";
import { countReports } from "../state/reports/report-counts.ts";
import type { Reports } from "../state/reports/reports.ts";
import type { CommandContext } from "./context.ts";
import { readForRelease } from "./existing-state.ts";

/** What the release for `asOf` says of reports; undefined when none could be received before that day. */
export function reportCountsInput(context: CommandContext, asOf: number): Promise<ReportCounts | undefined> {
  return readForRelease(context, "reports", ({ reports }) => reportCountsBefore(reports, utcDayStart(asOf)));
}

/** The days of the samples before the start of a UTC day, as they stood then. */
export async function reportCountsBefore(reports: Reports, until: number): Promise<ReportCounts | undefined> {
  if ((await reports.since()) >= until) return undefined;
  const from = until - PARAMETERS.samples.windowDays * DAY_MS;
  return countReports(await reports.courses(), { from, until });
}
