import { expect, test } from "vitest";
import { mean, median, publishedNumber, round9, share } from "./numbers.ts";

test("rounding and shares", () => {
  expect(round9(1 / 3)).toBe(0.333333333);
  expect(round9(0.1 + 0.2)).toBe(0.3);
  expect(publishedNumber(84.6797)).toBe(84.68);
  expect(share(1, 3)).toBe(0.3333);
  expect(share(0, 0)).toBe(0);
});

test("middle values", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([])).toBeUndefined();
  expect(mean([1, 2, 6])).toBe(3);
  expect(mean([])).toBeUndefined();
});
