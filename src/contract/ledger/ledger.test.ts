import fc from "fast-check";
import { expect, test } from "vitest";
import { rowRanges } from "./ledger.ts";

test("rows that follow one another are one range", () => {
  expect(rowRanges([])).toEqual([]);
  expect(rowRanges([4, 5, 5, 6, 9, 11, 12])).toEqual([
    [4, 6],
    [9, 9],
    [11, 12],
  ]);
});

test("the ranges hold the rows, all of them and no other, and none touches the next", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 60 })), (rows) => {
      const sorted = rows.toSorted((a, b) => a - b);
      const ranges = rowRanges(sorted);
      const listed = ranges.flatMap(([first = 0, last = 0]) =>
        Array.from({ length: last - first + 1 }, (_, at) => first + at),
      );
      expect(listed).toEqual(sorted);
      for (const [at, [first = 0]] of ranges.entries())
        if (at > 0) expect(first).toBeGreaterThan((ranges[at - 1]?.[1] ?? 0) + 1);
    }),
  );
});
