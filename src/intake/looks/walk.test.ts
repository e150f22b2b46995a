import fc from "fast-check";
import { expect, test } from "vitest";
import { decodePolyline } from "./walk.ts";

test("the example of the format's documentation", () => {
  expect(decodePolyline("_p~iF~ps|U_ulLnnqC_mqNvxq`@", 3)).toEqual([
    { lat: 38.5, lng: -120.2 },
    { lat: 40.7, lng: -120.95 },
    { lat: 43.252, lng: -126.453 },
  ]);
  expect(decodePolyline("_p~iF~ps|U_ulLnnqC_mqNvxq`@", 2)).toBeUndefined();
});

test("any text gives positions on the globe, or nothing", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii", maxLength: 60 }), (text) => {
      for (const { lat, lng } of decodePolyline(text, 30) ?? []) {
        expect(Math.abs(lat)).toBeLessThanOrEqual(90);
        expect(Math.abs(lng)).toBeLessThanOrEqual(180);
      }
    }),
  );
});
