import { expect, test } from "vitest";
import { fakeCity, fakeRecord } from "../../tests/support/fake-rows.ts";
import { fakeContext } from "../../tests/support/fake-snapshot.ts";
import { NO_CITY_NOTE } from "../contract/claim-boundary.ts";
import { search } from "./search.ts";

const alpha = fakeCity(1, "Alpha");
const beta = fakeCity(2, "Beta", {
  coverage: {
    ...alpha.coverage,
    tier: "seed",
    level: "low",
    metrics: { ...alpha.coverage.metrics, observed_cells_90d: 3 },
  },
});
const context = fakeContext({
  cities: [alpha, beta],
  records: [fakeRecord(1), fakeRecord(2, { city: "beta" }), fakeRecord(3)],
});

test("echoes the filters, null for those not given", () => {
  expect(search.read(context, {}, { name: " Record ", city: "alpha" })).toMatchObject({
    query: { name: "Record", name_match: "contains", city: "alpha", industry: null, online_presence: null },
    count: 2,
  });
});

test("name_match=same finds other spellings, the exact one first, and no longer names", () => {
  const names = ["RECORD 1 #7", "Record 1", "Record 12"];
  const spelt = fakeContext({ records: names.map((name, index) => fakeRecord(index + 1, { name })) });
  const { query, results } = search.read(spelt, {}, { name: "Record 1", name_match: "same" });
  expect(query).toMatchObject({ name: "Record 1", name_match: "same" });
  expect(results.map(({ name }) => name)).toEqual(["Record 1", "RECORD 1 #7"]);
});

test("name_match without a name is harmless, a wrong one is named", () => {
  const { query, count } = search.read(context, {}, { name_match: "same" });
  expect([query["name_match"], count]).toEqual([null, 3]);
  expect(() => search.read(context, {}, { name: "a", name_match: "exact" })).toThrow(
    /^parameter name_match: /,
  );
});

test("without a city the confidence is that of the sparsest city found", () => {
  const { coverage_confidence, coverage_status } = search.read(context, {}, {});
  expect(coverage_confidence).toMatchObject({ level: "low", observed_cells: 3 });
  expect(coverage_confidence.note).toMatch(/^Of 2 cities, the sparsest is Beta\. /);
  expect(coverage_status).toBe("seed");
});

test("with a city it is that city's, found or not", () => {
  const { count, coverage_confidence } = search.read(context, {}, { city: "alpha", name: "nothing" });
  expect([count, coverage_confidence.level]).toEqual([0, "medium"]);
});

test.each([{ name: "nothing" }, { city: "gamma" }])(
  "no result and no covered city: %o claims nothing",
  (query) => {
    expect(search.read(context, {}, query)).toMatchObject({
      count: 0,
      results: [],
      coverage_status: "none",
      coverage_confidence: { level: "none", observed_cells: 0, note: NO_CITY_NOTE },
    });
  },
);
