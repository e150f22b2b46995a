import { expect, test } from "vitest";
import { atLeast, atMost, never, pointsAtMost, stated } from "./bounds.ts";

test("a bound holds up to its figure and no further", () => {
  expect(never("x").holds([0, 0])).toBe(true);
  expect(never("x").holds([0, 1])).toBe(false);
  expect(atMost(0.5, "x").holds([0, 1])).toBe(true);
  expect(atMost(0.5, "x").holds([0, 1, 1])).toBe(false);
  expect(atLeast(0.5, "x").holds([0, 1])).toBe(true);
  expect(atLeast(0.5, "x").holds([0, 0, 1])).toBe(false);
  expect(pointsAtMost(1, "x").holds([0.2, 1])).toBe(true);
  expect(pointsAtMost(1, "x").holds([0.2, 1.01])).toBe(false);
  expect(stated("x").holds([1])).toBeNull();
});

test("what was measured is told as counts, shares and points", () => {
  expect(never("x").tell([0, 3, 0])).toBe("1 of 3");
  expect(atMost(0.01, "x").tell([0, 0, 1])).toBe("33.33 %");
  expect(pointsAtMost(1, "x").tell([0.257, 0.1])).toBe("0.26 points at most");
});
