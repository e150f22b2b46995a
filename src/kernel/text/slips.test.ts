import fc from "fast-check";
import { expect, test } from "vitest";
import { slipsBetween } from "./slips.ts";

/** The definition, by recursion. */
function defined(one: string, other: string): number {
  if (one === "" || other === "") return one.length + other.length;
  const [a, b] = [one.slice(1), other.slice(1)];
  const isExchanged = one.length > 1 && one[0] === other[1] && one[1] === other[0];
  return Math.min(
    defined(a, b) + (one[0] === other[0] ? 0 : 1),
    defined(a, other) + 1,
    defined(one, b) + 1,
    isExchanged ? defined(one.slice(2), other.slice(2)) + 1 : Number.POSITIVE_INFINITY,
  );
}

const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });

test("counts what the definition counts, up to the bound", () => {
  fc.assert(
    fc.property(word, word, fc.nat(7), (one, other, most) => {
      expect(slipsBetween(one, other, most)).toBe(Math.min(defined(one, other), most + 1));
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["bakrey", "bakery", 1],
  ["cofe", "coffee", 2],
  ["", "", 0],
  ["", "abc", 3],
])("%s and %s: %i", (one, other, slips) => {
  expect(slipsBetween(one, other, 3)).toBe(slips);
});
