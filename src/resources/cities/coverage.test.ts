import { expect, test } from "vitest";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { PublicError } from "../../kernel/errors.ts";
import { coverageStatus } from "./coverage.ts";

const available_cities = [
  { slug: "alpha", name: "Alpha" },
  { slug: "beta", name: "Beta" },
];

test("a known city, with the others there are", () => {
  expect(coverageStatus.read(fakeContext(), { city: "beta" }, {})).toMatchObject({
    requested_city: "beta",
    status: "building",
    city: { slug: "beta", name: "Beta" },
    coverage: { confidence: "medium", coverage_basis: "eligible_cell_ratio", denominator_status: "reviewed" },
    available_cities,
  });
});

test("the coverage has its history", () => {
  expect(coverageStatus.read(fakeContext(), { city: "alpha" }, {}).coverage.history).toEqual([
    { day: "2026-06-28", observed_eligible_cells_90d: 10, cell_coverage_ratio_90d: 0.25, tier: "building" },
  ]);
});

test("an unknown city is a 404 that lists the known ones", () => {
  expect(() => coverageStatus.read(fakeContext(), { city: "gamma" }, {})).toThrow(
    new PublicError(404, "the service does not cover this city: see /api/v1/cities for the covered ones", {
      code: "city_not_covered",
      requested_city: "gamma",
      available_cities,
    }),
  );
});
