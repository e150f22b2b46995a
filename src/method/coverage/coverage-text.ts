import type { CoverageTier } from "../../contract/enums.ts";
import type { CoverageMetrics } from "./coverage-metrics.ts";

/** What people read about a city's coverage. Nothing observed is never worded as nothing there. */

export function tierLabel(tier: CoverageTier): string {
  return TIER_LABELS[tier];
}

const TIER_LABELS: Record<CoverageTier, string> = {
  none: "No recent coverage",
  seed: "Seed coverage",
  building: "Coverage building",
  dense: "Dense coverage",
};

/** One or two sentences: what was observed lately, and how to read it. */
export function coverageMessage(tier: CoverageTier, metrics: CoverageMetrics): string {
  if (tier === "none") {
    return "No physical citation was accepted in the last 180 days. This says nothing about what is there.";
  }
  const { physical_citations_180d: citations, observed_eligible_cells_90d: observed } = metrics;
  const cells = `${plain(observed)} of ${plain(metrics.eligible_coverage_cells)} eligible cells observed in 90 days`;
  return `${TIER_LABELS[tier]}: ${plain(citations)} physical citations in 180 days, ${cells}.`;
}

function plain(count: number): string {
  return count.toLocaleString("en-US");
}

export const COVERAGE_LIMITATIONS =
  "Coverage counts cells of about 0.7 square kilometres in which anything was observed; a cell counts as observed after one sighting, so it is never a complete inventory. Moving assets are published too coarsely to count for cells. How many scouts there were is counted from private observer hashes, so those three numbers cannot be recomputed from public files.";
