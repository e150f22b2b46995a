import { tierWords } from "../../contract/cities/coverage.ts";
import type { ConfidenceLevel, CoverageTier } from "../../contract/enums.ts";
import { PARAMETERS } from "../numbers.ts";
import {
  byDay,
  type CoverageMetrics,
  type CoverageSighting,
  CoverageWindow,
  type Denominator,
  type LookedSpan,
} from "./coverage-window.ts";

/** What a city's coverage confidence follows from. */
export interface ConfidenceFacts {
  readonly tier: CoverageTier;
  readonly denominatorReviewed: boolean;
  /** Weighted share of the eligible cells that were looked at in enough different weeks of the cell window; exact. */
  readonly repeatedRatio: number;
  /** Whether a measurement of what is missed supports `high`. */
  readonly highAllowed: boolean;
}

/**
 * What it means that nothing was found. One look at a cell can miss what is there, so values above `low` count only cells that were
 * looked at again, against a list of cells that a person reviewed.
 */
export function coverageConfidence({
  tier,
  denominatorReviewed,
  repeatedRatio,
  highAllowed,
}: ConfidenceFacts): ConfidenceLevel {
  const { mediumRatio, highRatio } = PARAMETERS.coverage;
  if (tier === "none") return "none";
  if (!denominatorReviewed || repeatedRatio < mediumRatio) return "low";
  return tier === "dense" && repeatedRatio >= highRatio && highAllowed ? "high" : "medium";
}

/** Texts about a city's coverage. They never present a lack of observations as absence. */

/** `Coverage: growing (3 of 4)`. */
export function tierLabel(tier: CoverageTier): string {
  return `Coverage: ${tierWords(tier)}`;
}

/** Describes recent coverage in two sentences. */
export function coverageMessage(tier: CoverageTier, metrics: CoverageMetrics): string {
  const { physical_citations_180d: citations, observed_eligible_cells_90d: observed } = metrics;
  if (tier === "none") {
    return `${NOTHING[citations === 0 ? "accepted" : "counting"]} This says nothing about what is there.`;
  }
  const areas = `${plain(observed)} of ${plain(metrics.eligible_coverage_cells)} areas checked in 90 days`;
  const sightings = citations === 1 ? "sighting" : "sightings";
  return `${tierLabel(tier)}. ${plain(citations)} ${sightings} accepted in 180 days, ${areas}.`;
}

const NOTHING = {
  accepted: "No sighting was accepted in the last 180 days.",
  counting: "No sighting of the last 180 days counts as independent evidence.",
};

function plain(count: number): string {
  return count.toLocaleString("en-US");
}

export const COVERAGE_LIMITATIONS =
  "Coverage counts areas of about 0.7 km² (map cells) that somebody checked for fixed signs, whether or not there were any. An independent sighting of a fixed sign checks its area. A check can miss what is there, so coverage is never a complete inventory. Mobile assets are excluded because their places are published at a coarser resolution. The three scout counts come from private observer hashes and cannot be recomputed from public files.";

interface TierState {
  readonly tier: CoverageTier;
  readonly tierSince: number; // solar day since which the tier has held without a break
  readonly passStreakDays: number; // consecutive days up to the last one on which the dense gate was met
}

/** A city's coverage at the end of one day. */
export interface TierPoint {
  readonly day: number; // solar day number
  readonly tier: CoverageTier;
  readonly seenCells: number; // eligible cells looked at in the cell window
  readonly seenWeight: number; // what they weigh
}

export interface TierInput {
  readonly citations: readonly CoverageSighting[]; // ordered by day, none after `lastDay`
  readonly looked: readonly LookedSpan[]; // in any order
  readonly denominator: Denominator;
  readonly denominatorReviewed: boolean;
  readonly firstDay: number; // start of the sweep, unless the first citation is earlier
  readonly lastDay: number;
  readonly pointDays: readonly number[]; // days before the sweep have no point
}

/** Computes the tier on `lastDay` day by day, because streaks and `since` depend on all earlier days. `points`: the requested days, oldest first. */
export function sweepTiers(input: TierInput) {
  const { citations, looked, denominator, lastDay } = input;
  const { citationDays, cellDays } = PARAMETERS.coverage;
  const window = new CoverageWindow(denominator);
  const entering = new Walk(citations, ({ day }) => day);
  const leaving = new Walk(citations, ({ day }) => day);
  // A week counts from its last day on, and as long as its first day is in the window.
  const enteringCells = new Walk(looked, ({ last }) => last);
  const leavingCells = new Walk(looked, ({ first }) => first + cellDays);
  const start = Math.min(input.firstDay, citations[0]?.day ?? lastDay, lastDay);
  const pointDays = new Set(input.pointDays);
  const points: TierPoint[] = [];
  let state: TierState = { tier: "none", tierSince: start, passStreakDays: 0 };
  for (let day = start; day <= lastDay; day += 1) {
    entering.upTo(day, (citation) => window.addCitation(citation));
    enteringCells.upTo(day, ({ cell }) => window.addCell(cell));
    leavingCells.upTo(day, ({ cell }) => window.removeCell(cell));
    leaving.upTo(day - citationDays, (citation) => window.removeCitation(citation));
    state = nextDay(state, day, window, input);
    const { seenCells, seenWeight } = window;
    if (pointDays.has(day)) points.push({ day, tier: state.tier, seenCells, seenWeight });
  }
  return { ...state, points };
}

/** Goes once through a list in the order of a day of each item. */
class Walk<Item> {
  readonly #items: readonly Item[];
  readonly #dayOf: (item: Item) => number;
  #next = 0;

  constructor(items: readonly Item[], dayOf: (item: Item) => number) {
    this.#items = byDay(items, dayOf);
    this.#dayOf = dayOf;
  }

  upTo(day: number, take: (item: Item) => void): void {
    for (let next = this.#items[this.#next]; next !== undefined; next = this.#items[this.#next]) {
      if (this.#dayOf(next) > day) return;
      this.#next += 1;
      take(next);
    }
  }
}

function nextDay(before: TierState, day: number, window: CoverageWindow, input: TierInput): TierState {
  const passStreakDays = denseGatePasses(window, input) ? before.passStreakDays + 1 : 0;
  const tier = tierOf(window.citations, window.seenCells, input.denominator.size, passStreakDays);
  return { tier, tierSince: tier === before.tier ? before.tierSince : day, passStreakDays };
}

function denseGatePasses(window: CoverageWindow, { denominator, denominatorReviewed }: TierInput): boolean {
  const covered = denominator.ratio(window.seenWeight) >= PARAMETERS.coverage.denseRatio;
  return denominatorReviewed && covered && window.scouts >= PARAMETERS.coverage.denseScouts;
}

function tierOf(citations: number, seenCells: number, cells: number, passStreakDays: number): CoverageTier {
  const { seedCitations, seedCells, seedCellShare, stabilityDays } = PARAMETERS.coverage;
  if (citations === 0) return "none";
  if (citations < seedCitations || seenCells < Math.min(seedCells, cells * seedCellShare)) return "seed";
  return passStreakDays >= stabilityDays ? "dense" : "building";
}
