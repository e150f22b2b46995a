import type { ReportOutcome } from "../../contract/enums.ts";
import type { ReportCounts } from "../../contract/service/status.ts";
import { DAY_MS, isoTime } from "../../kernel/time.ts";
import type { ReportCourse } from "./report-row.ts";

/** Reports received in a span (ms, `until` exclusive), with their status at its end. Later resolutions do not count. */
export function countReports(
  reports: readonly ReportCourse[],
  { from, until }: { readonly from: number; readonly until: number },
): ReportCounts {
  const known = reports
    .filter(({ receivedAt }) => receivedAt < until)
    .map(({ receivedAt, resolutions }) => ({
      receivedAt,
      resolutions: resolutions.filter(({ resolvedAt }) => resolvedAt < until),
    }));
  const received = known.filter(({ receivedAt }) => receivedAt >= from);
  const of = (outcome: ReportOutcome | undefined) =>
    received.filter((report) => lastOf(report) === outcome).length;
  return {
    reports_from: isoTime(from),
    reports_until: isoTime(until),
    received: received.length,
    open: of(undefined),
    upheld: of("upheld"),
    not_upheld: of("not_upheld"),
    duplicate: of("duplicate"),
    withdrawn: of("withdrawn"),
    out_of_scope: of("out_of_scope"),
    open_from_before: known.filter((report) => report.receivedAt < from && lastOf(report) === undefined)
      .length,
    median_days_to_resolution: median(received.flatMap(daysToFirst)),
  };
}

function lastOf({ resolutions }: ReportCourse): ReportOutcome | undefined {
  return resolutions.at(-1)?.outcome;
}

function daysToFirst({ receivedAt, resolutions }: ReportCourse): number[] {
  const [first] = resolutions;
  return first === undefined ? [] : [Math.max(0, first.resolvedAt - receivedAt) / DAY_MS];
}

/** To a tenth: finer figures would say when a single report came. */
function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? null : Math.round((low + high) * 5) / 10;
}
