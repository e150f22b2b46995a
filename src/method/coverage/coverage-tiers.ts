import type { CoverageTier } from "../../contract/enums.ts";
import { PARAMETERS } from "../parameters.ts";
import { byDay } from "./by-day.ts";
import { type CoverageSighting, CoverageWindow } from "./coverage-window.ts";
import type { Denominator } from "./denominator.ts";
import type { LookedSpan } from "./looked-weeks.ts";

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
