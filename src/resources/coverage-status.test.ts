import { expect, test } from "vitest";
import { fakeContext } from "../../tests/support/fake-snapshot.ts";
import { PublicError } from "../kernel/errors.ts";
import { coverageStatus } from "./coverage-status.ts";

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

test("an unknown city is a 404 that lists the known ones", () => {
  expect(() => coverageStatus.read(fakeContext(), { city: "gamma" }, {})).toThrow(
    new PublicError(404, "the service does not cover this city", {
      requested_city: "gamma",
      available_cities,
    }),
  );
});
