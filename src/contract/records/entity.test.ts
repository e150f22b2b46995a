import { expect, it } from "vitest";
import { exampleAnswer } from "../../render/reference/examples.ts";
import { presenceScore } from "../../resources/records/entity.ts";

const { components, cohort, pps, provisional_pps } = exampleAnswer(presenceScore);
const raw = components?.raw_score ?? 0;

it("shows an example whose points add up to the raw score", () => {
  const parts = components?.parts ?? [];
  for (const { value, weight, points } of parts) expect(points).toBeCloseTo(100 * weight * value, 6);
  expect(parts.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 9);
  expect(parts.reduce((sum, { points }) => sum + points, 0)).toBeCloseTo(raw, 6);
  expect(provisional_pps).toBeCloseTo(raw, 2);
});

it("shows an example whose score follows from its cohort", () => {
  const { median_raw, spread } = cohort;
  if (median_raw === null || spread === null) throw new Error("the example has a cohort");
  expect(pps).toBeCloseTo(100 / (1 + Math.exp(-(raw - median_raw) / spread)), 2);
});
