import fc from "fast-check";
import { expect, test } from "vitest";
import { SeededNumbers, seededBytes } from "./seeded.ts";

test("one seed gives one sequence of bytes, another seed another", () => {
  const [a, b, c] = [seededBytes("x"), seededBytes("x"), seededBytes("y")];
  expect(a(48)).toEqual(b(48));
  expect(a(8)).toEqual(b(8));
  expect(seededBytes("x")(48)).not.toEqual(c(48));
  // printf "x 0" | sha256sum
  expect(seededBytes("x")(4).toString("hex")).toBe("3cefc7e5");
});

test("whole numbers lie between their bounds and reach both", () => {
  const numbers = new SeededNumbers("dice");
  const thrown = new Set(Array.from({ length: 300 }, () => numbers.between(1, 6)));
  expect([...thrown].sort()).toEqual([1, 2, 3, 4, 5, 6]);
  expect(numbers.between(7, 3)).toBe(7);
});

test("what has no weight is never drawn", () => {
  const choices = fc.array(fc.tuple(fc.string(), fc.nat({ max: 5 })), { minLength: 1 });
  fc.assert(
    fc.property(fc.string(), choices, (seed, drawn) => {
      const weighted = [
        ["always", 1],
        ...drawn.map(([name, weight]) => [`_${name}`, weight] as const),
      ] as const;
      const weightless = new Set(weighted.filter(([, weight]) => weight === 0).map(([name]) => name));
      for (const [name, weight] of weighted) if (weight > 0) weightless.delete(name);
      expect(weightless.has(new SeededNumbers(seed).weighted(weighted))).toBe(false);
    }),
  );
});

test("nothing cannot be picked from", () => {
  expect(() => new SeededNumbers("none").pick([])).toThrow(RangeError);
});
