import fc from "fast-check";
import { expect, test } from "vitest";
import { REASONS } from "../review/moves.ts";
import { drawSample, SAMPLE_REASONS, type SampleReview, sampleResult } from "./review-sample.ts";
import { wilsonInterval } from "./standing/verification.ts";

const rows = (count: number, seed = "s") => Array.from({ length: count }, (_, n) => ({ row: n + 1, seed }));

test("Wilson's interval is that of the textbook", () => {
  expect(wilsonInterval(81, 263)).toEqual({ low: 0.2553, high: 0.3662 });
  expect(wilsonInterval(0, 10)).toEqual({ low: 0, high: 0.2775 });
  expect(wilsonInterval(10, 10)).toEqual({ low: 0.7225, high: 1 });
  for (const [hits, trials] of [
    [0, 0],
    [2, 1],
    [-1, 5],
  ] as const)
    expect(() => wilsonInterval(hits, trials)).toThrow("have no share");
});

test("the interval holds the share, lies in 0 to 1, mirrors, and narrows with more trials", () => {
  const trials = fc.integer({ min: 1, max: 5000 });
  fc.assert(
    fc.property(trials, fc.double({ min: 0, max: 1, noNaN: true }), (n, part) => {
      const hits = Math.floor(part * n);
      const { low, high } = wilsonInterval(hits, n);
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect(low).toBeLessThanOrEqual(hits / n + 5e-5);
      expect(high).toBeGreaterThanOrEqual(hits / n - 5e-5);
      const mirrored = wilsonInterval(n - hits, n);
      expect(mirrored.low).toBeCloseTo(1 - high, 3);
      const more = wilsonInterval(hits * 4, n * 4);
      expect(more.high - more.low).toBeLessThanOrEqual(high - low + 1e-4);
    }),
  );
});

test("a sample has no more than its size, no row twice, and is the same in whatever order the rows come", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: 1e6 }), { maxLength: 400 }),
      fc.integer({ min: 0, max: 50 }),
      (ids, size) => {
        const candidates = ids.map((row) => ({ row, seed: `seal ${row % 3}` }));
        const drawn = drawSample(candidates, size);
        expect(drawn).toHaveLength(Math.min(size, ids.length));
        expect(new Set(drawn).size).toBe(drawn.length);
        expect(drawSample(candidates.toReversed(), size)).toEqual(drawn);
      },
    ),
  );
});

test("new rows only take places, and another seed draws others", () => {
  const before = drawSample(rows(5000), 200);
  const after = drawSample([...rows(5000), ...rows(5500).slice(5000)], 200);
  expect(after.filter((row) => row <= 5000).every((row) => before.includes(row))).toBe(true);
  expect(after.filter((row) => before.includes(row)).length).toBeGreaterThan(150);
  expect(drawSample(rows(5000, "t"), 200)).not.toEqual(before);
});

test("every row is as likely to be drawn as any other", () => {
  const counts = new Map<number, number>();
  for (let seed = 0; seed < 600; seed += 1)
    for (const row of drawSample(rows(20, String(seed)), 5)) counts.set(row, (counts.get(row) ?? 0) + 1);
  for (const { row } of rows(20)) expect(Math.abs((counts.get(row) ?? 0) - 150)).toBeLessThan(60);
});

test("thirty reviews make a precision, other rejections none, and fewer are no number", () => {
  const verified = Array.from({ length: 27 }, (_, at) => at + 1);
  const wrong = [28, 29, 30];
  const reviews = new Map<number, SampleReview>([
    ...verified.map((row) => [row, { decision: "verify", reason: "picture_clear" }] as const),
    ...wrong.map((row) => [row, { decision: "reject", reason: "fault" }] as const),
    [31, { decision: "reject", reason: "other" }],
    [99, { decision: "reject", reason: "fault" }], // not in the sample
  ]);
  const sample = [...verified, ...wrong, 31, 32];
  expect(sampleResult(sample, reviews, "fault")).toEqual({
    rows: sample,
    reviewed: 30,
    correct: 27,
    undecided: 1,
    precision: 0.9,
    interval: { low: 0.7438, high: 0.9654 },
  });
  expect(sampleResult(sample.slice(1), reviews, "fault")).toMatchObject({
    reviewed: 29,
    correct: 26,
    precision: null,
    interval: null,
  });
});

test("the reasons that count as mistakes are ones that the review desk has", () => {
  for (const reason of Object.values(SAMPLE_REASONS)) expect(Object.keys(REASONS)).toContain(reason);
});
