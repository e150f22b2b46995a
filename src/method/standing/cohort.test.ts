import fc from "fast-check";
import { expect, test } from "vitest";
import { publishedNumber } from "../numbers.ts";
import { rankCohort } from "./cohort.ts";

const entries = (...raws: number[]) => raws.map((raw, id) => ({ id, raw }));

test("fewer than five are not ranked", () => {
  expect(rankCohort(entries(10, 20, 30, 40))).toBeUndefined();
  expect(rankCohort([])).toBeUndefined();
});

test("five records by hand", () => {
  // median 30; deviations 20 10 0 10 30: 1.4826 x 10 = 14.826, 1.2533 x 14 = 17.5462; spread 17.5462
  // 60 -> 100 / (1 + e^(-30 / 17.5462)) = 100 / 1.180907 = 84.68; 40 -> 63.87 and 20 -> 36.13; 10 -> 24.23
  const cohort = rankCohort(entries(10, 20, 30, 40, 60));
  expect(cohort?.median).toBe(30);
  expect(cohort?.spread).toBeCloseTo(17.5462, 10);
  const published = [0, 1, 2, 3, 4].map((id) => publishedNumber(cohort?.results.get(id)?.pps ?? Number.NaN));
  expect(published).toEqual([24.23, 36.13, 50, 63.87, 84.68]);
  expect([...(cohort?.results.values() ?? [])].map(({ percentile }) => percentile)).toEqual([
    90, 70, 50, 30, 10,
  ]);
});

test("MAD decides where most deviate alike, the floor where all are equal", () => {
  // median 20; deviations 20 20 0 20 20: 1.4826 x 20 = 29.652 exceeds 1.2533 x 16 = 20.0528
  expect(rankCohort(entries(0, 0, 20, 40, 40))?.spread).toBeCloseTo(29.652, 10);
  expect(rankCohort(entries(7, 7, 7, 7, 7))?.spread).toBe(5);
});

test("an even cohort has the mean of its middle values as median", () => {
  expect(rankCohort(entries(1, 2, 3, 4, 5, 6))?.median).toBe(3.5);
});

test("ties share a rank, the next rank follows without a gap, and half of the ties count as below", () => {
  const cohort = rankCohort(entries(50, 40, 40, 40, 10));
  expect([0, 1, 2, 3, 4].map((id) => cohort?.results.get(id)?.rank)).toEqual([1, 2, 2, 2, 3]);
  expect([0, 1, 2, 3, 4].map((id) => cohort?.results.get(id)?.percentile)).toEqual([90, 50, 50, 50, 10]);
});

const cohorts = fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 5, maxLength: 60 });

test("scores stay in 0..100, rise with raw, and ranks are dense", () => {
  fc.assert(
    fc.property(cohorts, (raws) => {
      const results = rankCohort(entries(...raws))?.results ?? new Map();
      const byRaw = entries(...raws)
        .sort((a, b) => a.raw - b.raw)
        .map(({ id }) => results.get(id));
      for (const [index, result] of byRaw.entries()) {
        expect(result.pps).toBeGreaterThanOrEqual(0);
        expect(result.pps).toBeLessThanOrEqual(100);
        if (index > 0) expect(result.pps).toBeGreaterThanOrEqual(byRaw[index - 1].pps);
      }
      const ranks = new Set(byRaw.map(({ rank }) => rank));
      expect([...ranks].sort((a, b) => a - b)).toEqual(Array.from(ranks, (_, index) => index + 1));
    }),
  );
});

test("percentiles average to 50 and match their definition", () => {
  fc.assert(
    fc.property(cohorts, (raws) => {
      const results = [...(rankCohort(entries(...raws))?.results.values() ?? [])];
      for (const { pps, percentile } of results) {
        const below = results.filter((other) => other.pps < pps).length;
        const ties = results.filter((other) => other.pps === pps).length;
        expect(percentile).toBeCloseTo((100 * (below + ties / 2)) / results.length, 9);
      }
      expect(results.reduce((sum, { percentile }) => sum + percentile, 0) / results.length).toBeCloseTo(
        50,
        8,
      );
    }),
  );
});

test("the order of the input does not matter", () => {
  const shuffled = cohorts.chain((raws) => {
    const all = entries(...raws);
    return fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }));
  });
  fc.assert(
    fc.property(shuffled, ([all, other]) => {
      for (const { id } of all)
        expect(rankCohort(other)?.results.get(id)).toEqual(rankCohort(all)?.results.get(id));
    }),
  );
});
