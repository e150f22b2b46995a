import fc from "fast-check";
import { expect, test } from "vitest";
import { prefixLength } from "./prefix-length.ts";

test("finds the end of the prefix with few looks, whatever its length", () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.nat(100_000), (a, b) => {
      const [expected = 0, length = 0] = [a, b].sort((x, y) => x - y);
      let looks = 0;
      const found = prefixLength(length, (position) => {
        looks += 1;
        return position < expected;
      });
      expect(found).toBe(expected);
      expect(looks).toBeLessThanOrEqual(17);
    }),
  );
});
