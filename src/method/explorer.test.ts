import fc from "fast-check";
import { expect, test } from "vitest";
import { sighting, TODAY } from "../../tests/support/method/facts.ts";
import { DAY_MS } from "../kernel/time.ts";
import { type ExplorerEntry, explorerRows, footprints } from "./explorer.ts";

const entry = (record: number, changes: Partial<ExplorerEntry> = {}): ExplorerEntry => ({
  record,
  city: "exampleville",
  coverageLevel: "low",
  industry: "5610",
  claimState: "unclaimed",
  assetType: "storefront",
  observations: 4,
  assets: 1,
  cells: ["x"],
  firstObserved: 100,
  lastObserved: 200,
  pps: null,
  percentile: null,
  ...changes,
});

test("a group adds up, counts shared cells once and averages over ranked records only", () => {
  const rows = explorerRows([
    entry(1, { pps: 40, percentile: 20, cells: ["x", "y"], firstObserved: 50 }),
    entry(2, { pps: 70, percentile: 90, observations: 6, lastObserved: 300 }),
    entry(3),
    entry(4, { pps: 55, percentile: 55, observations: 1 }),
  ]);
  expect(rows).toEqual([
    {
      city: "exampleville",
      industry: "5610",
      assetType: "storefront",
      claimState: "unclaimed",
      entities: 4,
      observations: 15,
      observedCells: 2,
      coverageLevel: "low",
      assets: 4,
      avgPps: 55,
      avgPercentile: 55,
      firstObserved: 50,
      lastObserved: 300,
    },
  ]);
});

test("below three ranked records the averages are empty: they would give away the score of one", () => {
  const empty = { avgPps: null, avgPercentile: null };
  const ranked = [1, 2].map((record) => entry(record, { pps: 40, percentile: 20 }));
  expect(explorerRows([entry(1)])[0]).toMatchObject(empty);
  expect(explorerRows(ranked.slice(0, 1))[0]).toMatchObject(empty);
  expect(explorerRows([...ranked, entry(3), entry(4)])[0]).toMatchObject(empty);
  expect(explorerRows([])).toEqual([]);
});

test("most observations come first, ties follow the key, in any order of input", () => {
  const entries = [
    entry(1, { city: "b" }),
    entry(2, { city: "a", industry: null }),
    entry(3, { city: "a" }),
    entry(4, { city: "c", observations: 9 }),
    entry(5, { city: "a", claimState: "claimed" }),
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(entries, { minLength: entries.length }), (shuffled) => {
      const keys = explorerRows(shuffled).map(({ city, industry, claimState }) => [
        city,
        industry,
        claimState,
      ]);
      expect(keys).toEqual([
        ["c", "5610", "unclaimed"],
        ["a", null, "unclaimed"],
        ["a", "5610", "claimed"],
        ["a", "5610", "unclaimed"],
        ["b", "5610", "unclaimed"],
      ]);
    }),
  );
});

test("footprints: one per asset type, rejected sightings left out", () => {
  const seen = [
    sighting(9, { asset: 1, cell: "x" }),
    sighting(5, { asset: 2, cell: "x" }),
    sighting(4, { asset: 2, cell: "a" }),
    sighting(1, { asset: 3, cell: "z", verdict: "rejected" }),
    sighting(2, { asset: 4, cell: "m", assetType: "billboard" }),
  ];
  const at = (age: number) => (TODAY - age) * DAY_MS;
  expect(footprints(seen)).toEqual([
    {
      assetType: "billboard",
      observations: 1,
      assets: 1,
      cells: ["m"],
      firstObserved: at(2),
      lastObserved: at(2),
    },
    {
      assetType: "storefront",
      observations: 3,
      assets: 2,
      cells: ["a", "x"],
      firstObserved: at(9),
      lastObserved: at(4),
    },
  ]);
});
