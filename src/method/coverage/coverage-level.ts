import type { ConfidenceLevel, CoverageTier } from "../../contract/enums.ts";
import { PARAMETERS } from "../parameters.ts";

/** What a city's coverage level follows from. */
export interface LevelFacts {
  readonly tier: CoverageTier;
  readonly denominatorReviewed: boolean;
  /** Weighted share of the eligible cells that were looked at in enough different weeks of the cell window; exact. */
  readonly repeatedRatio: number;
  /** Whether a measurement of what is missed supports the level `high`. */
  readonly highAllowed: boolean;
}

/**
 * What it means that nothing was found. One look at a cell can miss what is there, so the levels above `low` count only cells that were
 * looked at again, against a list of cells that a person reviewed.
 */
export function coverageLevel({
  tier,
  denominatorReviewed,
  repeatedRatio,
  highAllowed,
}: LevelFacts): ConfidenceLevel {
  const { mediumRatio, highRatio } = PARAMETERS.coverage;
  if (tier === "none") return "none";
  if (!denominatorReviewed || repeatedRatio < mediumRatio) return "low";
  return tier === "dense" && repeatedRatio >= highRatio && highAllowed ? "high" : "medium";
}
