import fc from "fast-check";
import { expect, test } from "vitest";
import { ReportOutcome } from "../../contract/enums.ts";
import { NO_REPORT_COUNTS, ReportCounts } from "../../contract/service/status.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { countReports } from "./report-counts.ts";

const FROM = Date.parse("2026-02-01T00:00:00Z");
const UNTIL = Date.parse("2026-05-02T00:00:00Z");
const SPAN = { from: FROM, until: UNTIL };

const resolution = (outcome: ReportOutcome, resolvedAt: number) => ({ outcome, resolvedAt });

test("counts by the last decision of the time, and days to the first", () => {
  const at = (days: number) => FROM + days * DAY_MS;
  const counts = countReports(
    [
      { receivedAt: at(-5), resolutions: [] },
      { receivedAt: at(-5), resolutions: [resolution("upheld", at(1))] },
      { receivedAt: at(-5), resolutions: [resolution("upheld", UNTIL)] },
      { receivedAt: FROM, resolutions: [] },
      { receivedAt: at(1), resolutions: [resolution("upheld", at(3)), resolution("duplicate", at(9))] },
      { receivedAt: at(1), resolutions: [resolution("not_upheld", at(1.26))] },
      { receivedAt: at(2), resolutions: [resolution("upheld", UNTIL)] },
      { receivedAt: UNTIL, resolutions: [] },
    ],
    SPAN,
  );
  expect(counts).toEqual({
    reports_from: "2026-02-01T00:00:00Z",
    reports_until: "2026-05-02T00:00:00Z",
    received: 4,
    open: 2,
    upheld: 0,
    not_upheld: 1,
    duplicate: 1,
    withdrawn: 0,
    out_of_scope: 0,
    open_from_before: 2,
    median_days_to_resolution: 1.1,
  });
  const nothing = countReports([], SPAN);
  expect(nothing).toMatchObject({ received: 0, open: 0, median_days_to_resolution: null });
  expect(Object.keys(nothing)).toEqual(Object.keys(NO_REPORT_COUNTS));
});

const time = fc.integer({ min: FROM - 30 * DAY_MS, max: UNTIL + 30 * DAY_MS });
const reports = fc.array(
  fc.record({
    receivedAt: time,
    resolutions: fc
      .array(fc.record({ outcome: fc.constantFrom(...ReportOutcome.options), at: time }), { maxLength: 3 })
      .map((all) => all.sort((a, b) => a.at - b.at).map(({ outcome, at }) => resolution(outcome, at))),
  }),
);

test("the parts add up, and what comes after the time changes nothing", () => {
  fc.assert(
    fc.property(reports, (all) => {
      const counts = ReportCounts.parse(countReports(all, SPAN));
      const parts = [counts.open, ...ReportOutcome.options.map((outcome) => counts[outcome])];
      expect(parts.reduce<number>((sum, part) => sum + (part ?? 0), 0)).toBe(counts.received);
      const then = all
        .filter(({ receivedAt }) => receivedAt < UNTIL)
        .map((report) => ({
          ...report,
          resolutions: report.resolutions.filter(({ resolvedAt }) => resolvedAt < UNTIL),
        }));
      expect(countReports(then, SPAN)).toEqual(counts);
    }),
  );
});
