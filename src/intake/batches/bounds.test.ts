import fc from "fast-check";
import { expect, test } from "vitest";
import { type BatchShares, BRAKE, type Judged, type Night, outsideBounds } from "./bounds.ts";

const BOUNDS = { linesFactor: 5 };

function shares(changes: Partial<BatchShares> = {}): BatchShares {
  return { read: 1000, accepted: 1000, rejected: 0, newNames: 100, newCells: 10, ...changes };
}

function nights(count: number, lines = 1000, changes: Partial<BatchShares> = {}): Night[] {
  return Array.from({ length: count }, () => ({
    linesBySource: new Map([["scouts", lines]]),
    batches: [shares(changes)],
  }));
}

function batch(lines: number, changes: Partial<Judged> = {}): Judged {
  return {
    ...shares({ read: lines, accepted: lines, newNames: 0, newCells: 0 }),
    linesBySource: new Map([["scouts", lines]]),
    earlierBySource: new Map(),
    ...changes,
  };
}

test("nothing is judged before there are enough nights", () => {
  const wild = batch(1_000_000, { rejected: 900_000, newNames: 1_000_000, newCells: 1_000_000 });
  expect(outsideBounds(wild, nights(BRAKE.minNights - 1), BOUNDS)).toEqual([]);
  expect(outsideBounds(wild, nights(BRAKE.minNights), BOUNDS)).toHaveLength(4);
});

test("lines of a source are compared with the largest night before, together with the night's earlier batches", () => {
  const before = nights(7);
  expect(outsideBounds(batch(5000), before, BOUNDS)).toEqual([]);
  expect(outsideBounds(batch(5001), before, BOUNDS)).toEqual([
    "5,001 lines of scouts in one night: more than 5 times the largest of the nights before (1,000)",
  ]);
  const split = batch(101, { earlierBySource: new Map([["scouts", 4900]]) });
  expect(outsideBounds(split, before, BOUNDS)).toHaveLength(1);
  expect(outsideBounds(batch(5001), before, { linesFactor: 6 })).toEqual([]);
  expect(outsideBounds(batch(5001, { linesBySource: new Map([["new", 5001]]) }), before, BOUNDS)).toEqual([]);
});

test.for([
  ["rejected", { read: 1000, rejected: 501 }, "50.1 % of the lines were rejected: the bound is 50.0 %"],
  [
    "newNames",
    { newNames: 551 },
    "55.1 % of the accepted lines have names that no night before had: the bound is 55.0 %",
  ],
  [
    "newCells",
    { newCells: 506 },
    "50.6 % of the accepted lines are in map cells that no night before had: the bound is 50.5 %",
  ],
] as const)("a share of %s beyond half way from the largest before to all", ([, changes, finding]) => {
  expect(outsideBounds(batch(1000, changes), nights(7), BOUNDS)).toEqual([finding]);
});

test("a setting takes the place of what is learnt, from the first night on", () => {
  expect(outsideBounds(batch(1000, { rejected: 31 }), [], { ...BOUNDS, maxRejected: 0.03 })).toEqual([
    "3.1 % of the lines were rejected: the bound is 3.0 %",
  ]);
  expect(outsideBounds(batch(1000, { rejected: 600 }), nights(7), { ...BOUNDS, maxRejected: 1 })).toEqual([]);
});

test("what was not counted, and what is small, is never outside", () => {
  const few = batch(99, { rejected: 99, newNames: 99, newCells: 99 });
  expect(outsideBounds(few, nights(7, 1), BOUNDS)).toEqual([]);
  expect(outsideBounds(batch(1000, { newCells: null }), nights(7), BOUNDS)).toEqual([]);
});

test("a batch like one of the nights before is within the bounds, whatever those were", () => {
  const lines = fc.integer({ min: 1, max: 100_000 });
  const part = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(lines, part, part), { minLength: 1, maxLength: 40 }),
      fc.nat(),
      (all, at) => {
        const before = all.map(([count, names, rejected]) => ({
          linesBySource: new Map([["scouts", count]]),
          batches: [
            shares({
              read: count,
              accepted: count,
              newNames: Math.floor(count * names),
              rejected: Math.floor(count * rejected),
              newCells: 0,
            }),
          ],
        }));
        const same = before[at % before.length];
        const [own] = same?.batches ?? [];
        const again = batch(own?.read ?? 0, own);
        expect(outsideBounds(again, before, BOUNDS)).toEqual([]);
      },
    ),
  );
});
