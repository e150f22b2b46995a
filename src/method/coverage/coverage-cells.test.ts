import fc from "fast-check";
import { expect, test } from "vitest";
import { AS_OF, anySightings, sighting, TODAY } from "../../../tests/support/method/facts.ts";
import { DAY_MS } from "../../kernel/time.ts";
import type { LookRow } from "../types.ts";
import { cityCoverage } from "./coverage.ts";
import { cellCounts } from "./coverage-cells.ts";
import type { CoverageSighting } from "./coverage-window.ts";

const seen = (age: number, changes: Partial<CoverageSighting> = {}): CoverageSighting => ({
  ...sighting(age, changes),
  record: 1,
  scout: undefined,
  ...changes,
});

test("counts by hand: the window, the whole time, and what never counts", () => {
  const counts = cellCounts(
    [
      seen(0, { cell: "b", record: 1 }),
      seen(89, { cell: "b", record: 2 }),
      seen(90, { cell: "b", record: 3 }), // out of the 90 days
      seen(400, { cell: "a" }),
      seen(1, { cell: "b", record: 4, verdict: "rejected" }),
      seen(1, { cell: "only rejected", verdict: "rejected" }),
      seen(1, { cell: "wide", fine: false }),
      seen(-1, { cell: "later" }),
    ],
    [],
    AS_OF,
  );
  expect(counts).toEqual([
    {
      cell: "a",
      observations90d: 0,
      records90d: 0,
      observations: 1,
      lastObserved: (TODAY - 400) * DAY_MS,
      weeksLooked90d: 0,
      monthsLooked: 0,
    },
    {
      cell: "b",
      observations90d: 2,
      records90d: 2,
      observations: 3,
      lastObserved: TODAY * DAY_MS,
      weeksLooked90d: 2,
      monthsLooked: 0,
    },
  ]);
});

test("looks stand beside finds", () => {
  const row = (span: LookRow["span"], first: number, last: number, cells: string[]): LookRow => ({
    span,
    first: TODAY - first,
    last: TODAY - last,
    publishedAt: 0,
    cells,
  });
  const looks = [
    row("week", 11, 5, ["a", "b"]),
    row("week", 95, 89, ["a"]), // not wholly in the window
    row("month", 64, 34, ["a"]),
    row("month", 33, 4, ["a", "c"]),
    row("day", 10, 10, ["a"]),
  ];
  const counts = cellCounts([seen(20, { cell: "a" }), seen(8, { cell: "b" })], looks, AS_OF);
  expect(
    counts.map(({ cell, observations, weeksLooked90d, monthsLooked }) => [
      cell,
      observations,
      weeksLooked90d,
      monthsLooked,
    ]),
  ).toEqual([
    ["a", 1, 2, 2],
    ["b", 1, 1, 0],
    ["c", 0, 0, 1],
  ]);
});

test("what does not count is listed in its cell, and is no look at it", () => {
  const newcomer = { ...sighting(1, { setAside: "private_trace" }), record: 1, scout: undefined };
  expect(cellCounts([newcomer], [], AS_OF)).toMatchObject([{ observations: 1, weeksLooked90d: 0 }]);
});

test("the cells of the last 90 days are those that the coverage metrics count", () => {
  const inRecords = fc
    .array(anySightings(), { maxLength: 4 })
    .map((records) =>
      records.flatMap((sightings, record) =>
        sightings.map((each, at) => ({ ...each, record, scout: undefined, fine: at % 5 > 0 })),
      ),
    );
  fc.assert(
    fc.property(inRecords, fc.integer({ min: 0, max: 3 }), (sightings, eligibleCount) => {
      const cells = [...new Set(sightings.map(({ cell }) => cell))].sort().slice(0, eligibleCount);
      const { metrics } = cityCoverage({
        sightings,
        looks: [],
        cells,
        denominatorReviewed: true,
        registeredDay: TODAY,
        asOf: AS_OF,
      });
      const counts = cellCounts(sightings, [], AS_OF);
      const recent = counts.filter(({ weeksLooked90d }) => weeksLooked90d > 0);
      expect(recent).toHaveLength(metrics.observed_cells_90d);
      expect(recent.filter(({ cell }) => cells.includes(cell))).toHaveLength(
        metrics.observed_eligible_cells_90d,
      );
      for (const { records90d, observations90d, observations } of counts) {
        expect(records90d).toBeLessThanOrEqual(observations90d);
        expect(observations90d).toBeLessThanOrEqual(observations);
      }
    }),
  );
});
