import type { CoverageTier } from "../../contract/enums.ts";
import { PARAMETERS } from "../parameters.ts";
import { type CoverageSighting, CoverageWindow } from "./coverage-window.ts";

interface TierState {
  readonly tier: CoverageTier;
  readonly tierSince: number; // solar day since which the tier has held without a break
  readonly passStreakDays: number; // consecutive days up to the last one on which the dense gate was met
}

/** A city's coverage at the end of one day. */
export interface TierPoint {
  readonly day: number; // solar day number
  readonly tier: CoverageTier;
  readonly seenCells: number; // eligible cells observed in the cell window
}

export interface TierInput {
  readonly citations: readonly CoverageSighting[]; // ordered by day, none after `lastDay`
  readonly cells: ReadonlySet<string>;
  readonly denominatorReviewed: boolean;
  readonly firstDay: number; // start of the sweep, unless the first citation is earlier
  readonly lastDay: number;
  readonly pointDays: readonly number[]; // days before the sweep have no point
}

/** Computes the tier on `lastDay` day by day, because streaks and `since` depend on all earlier days. `points`: the requested days, oldest first. */
export function sweepTiers(input: TierInput) {
  const { citations, cells, lastDay } = input;
  const { citationDays, cellDays } = PARAMETERS.coverage;
  const window = new CoverageWindow(cells);
  const entering = new Walk(citations);
  const leavingCells = new Walk(citations);
  const leaving = new Walk(citations);
  const start = Math.min(input.firstDay, citations[0]?.day ?? lastDay, lastDay);
  const pointDays = new Set(input.pointDays);
  const points: TierPoint[] = [];
  let state: TierState = { tier: "none", tierSince: start, passStreakDays: 0 };
  for (let day = start; day <= lastDay; day += 1) {
    for (const sighting of entering.upTo(day)) {
      window.addCitation(sighting);
      window.addCell(sighting);
    }
    for (const sighting of leavingCells.upTo(day - cellDays)) window.removeCell(sighting);
    for (const sighting of leaving.upTo(day - citationDays)) window.removeCitation(sighting);
    state = nextDay(state, day, window, input);
    if (pointDays.has(day)) points.push({ day, tier: state.tier, seenCells: window.seenCells });
  }
  return { ...state, points };
}

/** Iterates a list in day order. */
class Walk {
  readonly #citations: readonly CoverageSighting[];
  #next = 0;

  constructor(citations: readonly CoverageSighting[]) {
    this.#citations = citations;
  }

  *upTo(day: number): Generator<CoverageSighting> {
    for (
      let next = this.#citations[this.#next];
      next && next.day <= day;
      next = this.#citations[this.#next]
    ) {
      this.#next += 1;
      yield next;
    }
  }
}

function nextDay(before: TierState, day: number, window: CoverageWindow, input: TierInput): TierState {
  const passStreakDays = denseGatePasses(window, input) ? before.passStreakDays + 1 : 0;
  const tier = tierOf(window.citations, window.seenCells, input.cells.size, passStreakDays);
  return { tier, tierSince: tier === before.tier ? before.tierSince : day, passStreakDays };
}

function denseGatePasses(window: CoverageWindow, { cells, denominatorReviewed }: TierInput): boolean {
  const covered = cells.size > 0 && window.seenCells / cells.size >= PARAMETERS.coverage.denseRatio;
  return denominatorReviewed && covered && window.scouts >= PARAMETERS.coverage.denseScouts;
}

function tierOf(citations: number, seenCells: number, cells: number, passStreakDays: number): CoverageTier {
  const { seedCitations, seedCells, seedCellShare, stabilityDays } = PARAMETERS.coverage;
  if (citations === 0) return "none";
  if (citations < seedCitations || seenCells < Math.min(seedCells, cells * seedCellShare)) return "seed";
  return passStreakDays >= stabilityDays ? "dense" : "building";
}
