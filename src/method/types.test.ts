import { expect, test } from "vitest";
import { AS_OF, TODAY } from "../../tests/support/method/facts.ts";
import type { AssetType } from "../contract/enums.ts";
import { type AssetFacts, assetState, legibilityScore } from "./types.ts";

const state = (assetType: AssetType, age: number, review?: AssetFacts["review"]) =>
  assetState({ assetType, lastDay: TODAY - age, review }, AS_OF);
const status = (assetType: AssetType, age: number) => state(assetType, age).status;

test("fixed assets are stale when unseen for 180 days, mobile and temporary ones for 90", () => {
  for (const type of ["storefront", "billboard", "site_sign"] as const) {
    expect([status(type, 179), status(type, 180)]).toEqual(["active", "stale"]);
  }
  for (const type of ["vehicle_wrap", "temp_sign"] as const) {
    expect([status(type, 89), status(type, 90)]).toEqual(["active", "stale"]);
  }
});

test("then age retires them: after a year, and after 180 days", () => {
  for (const type of ["storefront", "billboard", "site_sign"] as const)
    expect([state(type, 364), state(type, 365)]).toEqual([
      { status: "stale", retiredBy: null },
      { status: "retired", retiredBy: "age" },
    ]);
  for (const type of ["vehicle_wrap", "temp_sign"] as const)
    expect([status(type, 179), status(type, 180)]).toEqual(["stale", "retired"]);
});

test("a review retires whatever was seen today; without any accepted sighting an asset is stale", () => {
  const retired = { day: TODAY - 10, retired: true };
  expect(state("storefront", 0, retired)).toEqual({ status: "retired", retiredBy: "review" });
  expect(state("storefront", 900, retired)).toEqual({ status: "retired", retiredBy: "review" });
  const unseen = { assetType: "storefront", lastDay: undefined, review: undefined } as const;
  expect(assetState(unseen, AS_OF)).toEqual({ status: "stale", retiredBy: null });
});

test("what a reviewer found still there is not retired by age until it was seen since, and unseen as long again", () => {
  const kept = (daysAgo: number) => ({ day: TODAY - daysAgo, retired: false });
  expect(state("storefront", 900, kept(900)).status).toBe("stale");
  expect(state("storefront", 900, kept(5)).status).toBe("stale"); // whenever the sighting of 900 days ago arrived
  expect(state("storefront", 900, kept(901))).toEqual({ status: "retired", retiredBy: "age" });
});

test("legibility is the median of the observations that have one", () => {
  expect(legibilityScore([0.9, null, 0.2, 0.5])).toBe(0.5);
  expect(legibilityScore([0.25, 0.75])).toBe(0.5);
  expect(legibilityScore([null])).toBeNull();
});
