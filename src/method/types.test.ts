import { expect, test } from "vitest";
import { AS_OF, TODAY } from "../../tests/support/method/facts.ts";
import type { AssetType } from "../contract/enums.ts";
import { assetStatus, legibilityScore } from "./types.ts";

const status = (assetType: AssetType, age: number, retired = false) =>
  assetStatus({ assetType, lastDay: TODAY - age, retired }, AS_OF);

test("fixed assets are stale when unseen for 180 days, mobile and temporary ones for 90", () => {
  for (const type of ["storefront", "billboard", "site_sign"] as const) {
    expect([status(type, 179), status(type, 180)]).toEqual(["active", "stale"]);
  }
  for (const type of ["vehicle_wrap", "temp_sign"] as const) {
    expect([status(type, 89), status(type, 90)]).toEqual(["active", "stale"]);
  }
});

test("a review retires whatever was seen today; without any accepted sighting an asset is stale", () => {
  expect(status("storefront", 0, true)).toBe("retired");
  expect(assetStatus({ assetType: "storefront", lastDay: undefined, retired: false }, AS_OF)).toBe("stale");
});

test("legibility is the median of the observations that have one", () => {
  expect(legibilityScore([0.9, null, 0.2, 0.5])).toBe(0.5);
  expect(legibilityScore([0.25, 0.75])).toBe(0.5);
  expect(legibilityScore([null])).toBeNull();
});
