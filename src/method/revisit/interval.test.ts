import { expect, test } from "vitest";
import { clusteredInterval, exactInterval, incompleteBeta, tQuantile } from "./interval.ts";

test("quantiles of Student's t as in the tables", () => {
  expect([1, 9, 29, 120].map((degrees) => Number(tQuantile(degrees).toFixed(3)))).toEqual([
    12.706, 2.262, 2.045, 1.98,
  ]);
});

test("the incomplete beta function by its closed forms", () => {
  expect(incompleteBeta(0.3, 1, 1)).toBeCloseTo(0.3, 12);
  expect(incompleteBeta(0.3, 2, 1)).toBeCloseTo(0.09, 12);
  expect(incompleteBeta(0.3, 2, 3)).toBeCloseTo(0.3483, 12); // 6x² - 8x³ + 3x⁴
  expect([incompleteBeta(0, 2, 3), incompleteBeta(1, 2, 3)]).toEqual([0, 1]);
});

test("exact intervals as published (Clopper and Pearson)", () => {
  expect(exactInterval(0, 30).high).toBeCloseTo(0.1157, 4);
  expect(exactInterval(0, 30).low).toBe(0);
  expect(exactInterval(5, 5)).toEqual({ low: expect.closeTo(0.4782, 4), high: 1 });
  expect(exactInterval(7, 10).low).toBeCloseTo(0.3475, 4);
  expect(exactInterval(7, 10).high).toBeCloseTo(0.9333, 4);
});

test.each([
  [0, 0],
  [-1, 3],
  [4, 3],
  [Number.NaN, 3],
])("%s hits of %s trials are no share", (hits, trials) => {
  if (Number.isNaN(hits)) expect(() => exactInterval(1, hits)).toThrow(RangeError);
  else expect(() => exactInterval(hits, trials)).toThrow(RangeError);
});

const clusters = (count: number, hits: number, trials: number) =>
  Array.from({ length: count }, () => ({ hits, trials }));

test("clusters that are all alike say as much as their trials alone", () => {
  expect(clusteredInterval(clusters(20, 5, 10))).toEqual(exactInterval(100, 200));
});

test("clusters that are all or nothing say as much as their number", () => {
  const mixed = [...clusters(10, 10, 10), ...clusters(10, 0, 10)];
  const { low, high } = clusteredInterval(mixed);
  const single = exactInterval(10, 20);
  expect(low).toBeLessThanOrEqual(single.low + 0.01);
  expect(high).toBeGreaterThanOrEqual(single.high - 0.01);
});

test("where every sign was listed, each cluster is one trial", () => {
  expect(clusteredInterval(clusters(20, 10, 10))).toEqual(exactInterval(20, 20));
  expect(clusteredInterval(clusters(20, 0, 10))).toEqual(exactInterval(0, 20));
});

test("clusters without trials change nothing, and one alone has no variance", () => {
  const some = [...clusters(10, 3, 4), ...clusters(10, 1, 4)];
  expect(clusteredInterval([...some, ...clusters(5, 0, 0)])).toEqual(clusteredInterval(some));
  expect(() => clusteredInterval(clusters(1, 1, 2))).toThrow(RangeError);
});
