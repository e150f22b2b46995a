import type { ConfidenceLevel, CoverageTier, Freshness } from "../../contract/enums.ts";
import { type AsOf, ageInDays, dateOfDay } from "../as-of.ts";
import { isCitation } from "../citation.ts";
import { weekEnds } from "../history.ts";
import { share } from "../numbers.ts";
import { PARAMETERS } from "../parameters.ts";
import { type CoverageMetrics, coverageMetrics } from "./coverage-metrics.ts";
import { COVERAGE_LIMITATIONS, coverageMessage, tierLabel } from "./coverage-text.ts";
import { sweepTiers, type TierPoint } from "./coverage-tiers.ts";
import type { CoverageSighting } from "./coverage-window.ts";

export interface CoverageInput {
  readonly sightings: readonly CoverageSighting[];
  readonly cells: readonly string[]; // the city's eligible resolution-8 cells
  readonly denominatorReviewed: boolean; // current value; also used for past days
  readonly registeredDay: number; // solar day on which the city was registered
  readonly asOf: AsOf;
}

export interface DenseRequirement {
  readonly key: "reviewed_denominator" | "eligible_cell_coverage" | "independent_scouts";
  readonly met: boolean;
  readonly current: string | number;
  readonly required: string | number;
}

/** Computes a city's coverage at `asOf`, in one pass over its sightings and one step per day since the first. */
export function cityCoverage(input: CoverageInput) {
  const { asOf, denominatorReviewed } = input;
  const cells = new Set(input.cells);
  const citations = input.sightings
    .filter((sighting) => isCitation(sighting, asOf))
    .sort((a, b) => a.day - b.day);
  const metrics = coverageMetrics(citations, cells, asOf);
  const { tier, tierSince, passStreakDays, points } = sweepTiers({
    citations,
    cells,
    denominatorReviewed,
    firstDay: input.registeredDay,
    lastDay: asOf.day,
    pointDays: weekEnds(asOf),
  });
  const level = coverageLevel(tier, metrics);
  return {
    tier,
    level,
    label: tierLabel(tier),
    message: coverageMessage(tier, metrics),
    limitations: COVERAGE_LIMITATIONS,
    freshness: freshness(citations.at(-1)?.day, asOf),
    tierSince: dateOfDay(tierSince), // date
    metrics,
    denseGate: denseGate(metrics, denominatorReviewed, passStreakDays),
    /** The last 26 finished ISO weeks, oldest first, starting with the city's registration or first observation. */
    history: points.map((point) => coveragePoint(point, cells.size)),
  };
}

/** One week of a city's coverage, with published names. */
function coveragePoint({ day, tier, seenCells }: TierPoint, eligible: number) {
  return {
    day: dateOfDay(day), // Sunday at the end of the ISO week, in solar time
    observed_eligible_cells_90d: seenCells, // in the 90 days up to that Sunday
    cell_coverage_ratio_90d: share(seenCells, eligible), // 0..1, four decimals
    tier,
  };
}

function coverageLevel(tier: CoverageTier, metrics: CoverageMetrics): ConfidenceLevel {
  const { lowRatio, highRatio } = PARAMETERS.coverage;
  const ratio = exactRatio(metrics);
  if (tier === "none") return "none";
  if (ratio < lowRatio) return "low";
  return tier === "dense" && ratio >= highRatio ? "high" : "medium";
}

// Thresholds apply to the exact ratio, not to its four published decimals.
function exactRatio(metrics: CoverageMetrics): number {
  const { observed_eligible_cells_90d: observed, eligible_coverage_cells: eligible } = metrics;
  return eligible === 0 ? 0 : observed / eligible;
}

function freshness(lastDay: number | undefined, asOf: AsOf): Freshness {
  const { currentDays, agingDays } = PARAMETERS.coverage;
  const age = ageInDays(lastDay ?? Number.NEGATIVE_INFINITY, asOf);
  return age <= currentDays ? "current" : age <= agingDays ? "aging" : "stale";
}

/** `eligible`: all requirements are met today. `available`: they have been met for enough days, so the tier can be dense. */
function denseGate(metrics: CoverageMetrics, reviewed: boolean, passStreakDays: number) {
  const { denseRatio, denseScouts, stabilityDays } = PARAMETERS.coverage;
  const scouts = metrics.independent_scout_observers_180d;
  const requirements: DenseRequirement[] = [
    {
      key: "reviewed_denominator",
      met: reviewed,
      current: reviewed ? "reviewed" : "unreviewed",
      required: "reviewed",
    },
    {
      key: "eligible_cell_coverage",
      met: exactRatio(metrics) >= denseRatio,
      current: metrics.cell_coverage_ratio_90d,
      required: denseRatio,
    },
    { key: "independent_scouts", met: scouts >= denseScouts, current: scouts, required: denseScouts },
  ];
  const missing = requirements.filter(({ met }) => !met).map(({ key }) => key);
  return {
    eligible: missing.length === 0,
    available: missing.length === 0 && passStreakDays >= stabilityDays,
    pass_streak_days: passStreakDays,
    required_stability_days: stabilityDays,
    requirements,
    missing_requirements: missing,
  };
}
