/** Texts about a city's coverage. They never present a lack of observations as absence. */

import { tierWords } from "../../contract/cities/coverage.ts";
import type { CoverageTier } from "../../contract/enums.ts";
import type { CoverageMetrics } from "./coverage-metrics.ts";

/** `Coverage level: building (3 of 4)`. */
export function tierLabel(tier: CoverageTier): string {
  return `Coverage level: ${tierWords(tier)}`;
}

/** Describes recent coverage in two sentences. */
export function coverageMessage(tier: CoverageTier, metrics: CoverageMetrics): string {
  const { physical_citations_180d: citations, observed_eligible_cells_90d: observed } = metrics;
  if (tier === "none") {
    return `${NOTHING[citations === 0 ? "accepted" : "counting"]} This says nothing about what is there.`;
  }
  const cells = `${plain(observed)} of ${plain(metrics.eligible_coverage_cells)} eligible cells looked at in 90 days`;
  return `${tierLabel(tier)}. ${plain(citations)} physical citations in 180 days, ${cells}.`;
}

const NOTHING = {
  accepted: "No physical citation was accepted in the last 180 days.",
  counting: "No physical citation of the last 180 days counts as independent evidence.",
};

function plain(count: number): string {
  return count.toLocaleString("en-US");
}

export const COVERAGE_LIMITATIONS =
  "Coverage counts cells of about 0.7 km² in which somebody looked for fixed signs, whether or not there were any; an observation of a fixed asset that counts as independent evidence is a look at its cell. One look can miss what is there, so coverage is never a complete inventory. Mobile assets are excluded because their places are published at a coarser resolution. The three scout counts come from private observer hashes and cannot be recomputed from public files.";
