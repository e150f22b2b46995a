import { expect, test, vi } from "vitest";
import { AS_OF, day } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext, fakeSnapshot } from "../../../tests/support/release/fake-snapshot.ts";
import { PublicError } from "../../kernel/errors.ts";
import type { ExplorerRow } from "../../snapshot/rows.ts";
import { explorerCsv, explorerTable } from "./tables.ts";

const row: ExplorerRow = {
  city: "alpha",
  industry: null,
  assetType: "billboard",
  claimState: "unclaimed",
  entities: 2,
  observations: 9,
  observedCells: 3,
  assets: 2,
  avgPps: 55.5555,
  avgPercentile: null,
  firstObserved: day(10),
  lastObserved: null,
};

test("averages have two decimals, unknowns stay null, and the level is the city's", () => {
  expect(explorerTable(fakeSnapshot({ explorer: [row] }))).toEqual([
    {
      city: "alpha",
      industry: null,
      asset_type: "billboard",
      claim_state: "unclaimed",
      entities: 2,
      observations: 9,
      observed_cells: 3,
      coverage_level: "medium",
      assets: 2,
      avg_pps: 55.56,
      avg_percentile: null,
      first_observed: "2026-06-19", // evening of that day in Ontario
      last_observed: null,
    },
  ]);
});

test("the operation is cut at its limit, the table is not", () => {
  const content = { explorer: Array.from({ length: 600 }, () => row) };
  expect(explorerCsv.read(fakeContext(content), {}, {})).toHaveLength(500);
  expect(explorerCsv.read(fakeContext(content), {}, { limit: "3" })).toHaveLength(3);
  expect(explorerTable(fakeSnapshot(content))).toHaveLength(600);
});

test("filters reach the query, the window as a time", () => {
  const context = fakeContext();
  const explorerRows = vi.spyOn(context.snapshot, "explorerRows");
  explorerCsv.read(
    context,
    {},
    { first_observed: "90d", min_percentile: "12.5", industry: "I", claim_state: "claimed" },
  );
  expect(explorerRows).toHaveBeenCalledExactlyOnceWith({
    claimState: "claimed",
    firstObservedSince: AS_OF - 90 * 86_400_000,
    industry: "I",
    minPercentile: 12.5,
  });
});

test("an unknown city is a 404, one without rows an empty table, in any case", () => {
  const read = (city: string) => explorerCsv.read(fakeContext(), {}, { city });
  expect(() => read("nowhere")).toThrow(
    new PublicError(404, "the service does not cover this city: see /api/v1/cities for the covered ones", {
      code: "city_not_covered",
    }),
  );
  expect(read("alpha")).toEqual([]);
  const context = fakeContext();
  const explorerRows = vi.spyOn(context.snapshot, "explorerRows");
  explorerCsv.read(context, {}, { city: "ALPHA" });
  expect(explorerRows).toHaveBeenCalledWith(expect.objectContaining({ city: "alpha" }));
});
