import { expect, it } from "vitest";
import { presenceScoreExample } from "./examples/presence-score.ts";

const { components, cohort, pps, provisional_pps } = presenceScoreExample;

it("shows an example whose points add up to the raw score", () => {
  const parts = components?.parts ?? [];
  for (const { value, weight, points } of parts) expect(points).toBeCloseTo(100 * weight * value, 1);
  expect(parts.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 9);
  expect(parts.reduce((sum, { points }) => sum + points, 0)).toBeCloseTo(provisional_pps, 6);
});

it("shows an example whose score follows from its cohort", () => {
  const { median_raw, spread } = cohort;
  if (median_raw === null || spread === null) throw new Error("the example has a cohort");
  expect(pps).toBeCloseTo(100 / (1 + Math.exp(-(provisional_pps - median_raw) / spread)), 2);
});
