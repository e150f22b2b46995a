import type { Freshness } from "../../contract/enums.ts";
import { isCitation } from "../citation.ts";
import { type AsOf, ageInDays, dateOfDay, PARAMETERS, withinDays } from "../numbers.ts";
import { weekEnds } from "../record-track.ts";
import { isIndependent } from "../standing/counting.ts";
import type { LookRow } from "../types.ts";
import {
  COVERAGE_LIMITATIONS,
  coverageConfidence,
  coverageMessage,
  sweepTiers,
  type TierPoint,
  tierLabel,
} from "./coverage-tiers.ts";
import {
  byDay,
  type CoverageMetrics,
  type CoverageSighting,
  coverageMetrics,
  Denominator,
  exactRatios,
  lookedSpans,
  weeksByCell,
} from "./coverage-window.ts";

export interface CoverageInput {
  readonly sightings: readonly CoverageSighting[];
  readonly looks: readonly LookRow[];
  readonly cells: readonly string[]; // the city's eligible resolution-8 cells, sorted
  readonly weights?: readonly number[] | undefined; // of the cells; 1 each without
  readonly denominatorReviewed: boolean; // current value; also used for past days
  readonly registeredDay: number; // solar day on which the city was registered
  readonly asOf: AsOf;
  /** Whether a measurement of the city supports the level `high` (see `allowsHigh`); false without one. */
  readonly highAllowed?: boolean;
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
  const denominator = new Denominator(input.cells, input.weights);
  const citations = byDay(
    input.sightings.filter((sighting) => isCitation(sighting, asOf)),
    ({ day }) => day,
  );
  // What does not count is listed, and lifts no tier.
  const counting = citations.filter(isIndependent);
  const looked = lookedSpans(citations, input.looks).filter(({ last }) => last <= asOf.day);
  const metrics = coverageMetrics(citations, looked, denominator, asOf);
  const exact = exactRatios(looked, denominator, asOf);
  const { tier, tierSince, passStreakDays, points } = sweepTiers({
    citations: counting,
    looked,
    denominator,
    denominatorReviewed,
    firstDay: input.registeredDay,
    lastDay: asOf.day,
    pointDays: weekEnds(asOf),
  });
  const level = coverageConfidence({
    tier,
    denominatorReviewed,
    repeatedRatio: exact.repeated,
    highAllowed: input.highAllowed ?? false,
  });
  return {
    tier,
    level,
    label: tierLabel(tier),
    message: coverageMessage(tier, metrics),
    limitations: COVERAGE_LIMITATIONS,
    freshness: freshness(counting.at(-1)?.day, asOf),
    tierSince: dateOfDay(tierSince), // date
    metrics,
    denseGate: denseGate(metrics, exact.observed, denominatorReviewed, passStreakDays),
    /** The last 26 finished ISO weeks, oldest first, starting with the city's registration or first observation. */
    history: points.map((point) => coveragePoint(point, denominator)),
  };
}

/** One week of a city's coverage, with published names. */
function coveragePoint({ day, tier, seenCells, seenWeight }: TierPoint, denominator: Denominator) {
  return {
    day: dateOfDay(day), // Sunday at the end of the ISO week, in solar time
    observed_eligible_cells_90d: seenCells, // in the 90 days up to that Sunday
    cell_coverage_ratio_90d: denominator.share(seenWeight), // 0..1, four decimals
    tier,
  };
}

function freshness(lastDay: number | undefined, asOf: AsOf): Freshness {
  const { currentDays, agingDays } = PARAMETERS.coverage;
  const age = ageInDays(lastDay ?? Number.NEGATIVE_INFINITY, asOf);
  return age <= currentDays ? "current" : age <= agingDays ? "aging" : "stale";
}

/** `eligible`: all requirements are met today. `available`: they have been met for enough days, so the tier can be dense. */
function denseGate(metrics: CoverageMetrics, ratio: number, reviewed: boolean, passStreakDays: number) {
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
      met: ratio >= denseRatio,
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

/** Observations and looks in one resolution-8 cell. The 90 days match the metric `observed_cells_90d`. */
export interface CellCounts {
  readonly cell: string;
  readonly observations90d: number; // physical citations
  readonly records90d: number; // distinct records with these citations
  readonly observations: number; // physical citations of all time
  readonly lastObserved: number | null; // ms, time of the last citation; null without one
  readonly weeksLooked90d: number; // ISO weeks of the window in which it was looked at, in a week row or by a find
  readonly monthsLooked: number; // months of all time in whose row it is: two or more principals looked
}

/** Returns a city's cells with observations or looks, eligible or not, by cell. Mobile assets are excluded: their resolution is coarser. */
export function cellCounts(
  sightings: readonly CoverageSighting[],
  looks: readonly LookRow[],
  asOf: AsOf,
): CellCounts[] {
  const fine = sightings.filter((sighting) => sighting.fine && isCitation(sighting, asOf));
  const finds = Map.groupBy(fine, ({ cell }) => cell);
  const window = { first: asOf.day - PARAMETERS.coverage.cellDays + 1, last: asOf.day };
  const weeks = weeksByCell(lookedSpans(fine, looks), window);
  const months = monthsByCell(looks, asOf);
  const looked = looks.filter(({ last }) => last <= asOf.day).flatMap(({ cells }) => cells);
  return [...new Set([...finds.keys(), ...looked])].sort().map((cell) => ({
    cell,
    ...findsOf(finds.get(cell) ?? [], asOf),
    weeksLooked90d: weeks.get(cell) ?? 0,
    monthsLooked: months.get(cell) ?? 0,
  }));
}

function monthsByCell(looks: readonly LookRow[], asOf: AsOf): Map<string, number> {
  const months = new Map<string, number>();
  for (const { span, last, cells } of looks) {
    if (span !== "month" || last > asOf.day) continue;
    for (const cell of cells) months.set(cell, (months.get(cell) ?? 0) + 1);
  }
  return months;
}

function findsOf(seen: readonly CoverageSighting[], asOf: AsOf) {
  const recent = seen.filter(({ day }) => withinDays(day, asOf, PARAMETERS.coverage.cellDays));
  return {
    observations90d: recent.length,
    records90d: new Set(recent.map(({ record }) => record)).size,
    observations: seen.length,
    lastObserved: seen.reduce<number | null>(
      (latest, { observedAt }) => Math.max(latest ?? observedAt, observedAt),
      null,
    ),
  };
}
