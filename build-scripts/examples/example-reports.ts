import type { ReportOutcome } from "../../src/contract/enums.ts";
import type { ReportCounts } from "../../src/contract/service/status.ts";
import { DAY_MS } from "../../src/kernel/time.ts";
import { PARAMETERS } from "../../src/method/parameters.ts";
import { countReports } from "../../src/state/reports/reports.ts";

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
