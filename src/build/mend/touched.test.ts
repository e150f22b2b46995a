import { expect, test } from "vitest";
import { touches } from "./touched.ts";

const isTouched = touches({ cities: ["alpha"], records: ["pr_1"] });

test.each([
  ["a touched record", { public_id: "pr_1" }, true],
  ["another record", { public_id: "pr_2" }, false],
  ["the citation of a touched record", { id: "pr_1.113.120.2026-06-30.v1.wnrjqhdw" }, true],
  ["the citation of another record", { id: "pr_2.113.120.2026-06-30.v1.wnrjqhdw" }, false],
  ["a touched city", { city: "alpha" }, true],
  ["an industry of a touched city", { slug: "alpha", code: "I" }, true],
  ["another city", { city: "beta" }, false],
  ["all of them", {}, true],
  ["something else", { operation: "listCities" }, true],
] as const)("a file about %s", (_, values, expected) => {
  expect(isTouched(values)).toBe(expected);
});
