import { z } from "zod";
import { number } from "../../render/words/format.ts";
import { type CityMoves, cityMoves, RANK_PLACES, RANK_SHARE, SCORE_POINTS, type Share } from "./moves.ts";
import type { ReleaseFigures } from "./release-figures.ts";

/** How far a release may be from the published one without being held. */
export interface Bounds {
  readonly recordsGone: number; // these four in percent; 100: no bound
  readonly scoresMoved: number;
  readonly ranksMoved: number;
  readonly coverageMoved: number;
  /** Fewer records, or cells, never hold a release. */
  readonly floor: number;
}

const BoundName = z.enum(["records_gone", "scores_moved", "ranks_moved", "coverage_moved", "levels_moved"]);
type BoundName = z.infer<typeof BoundName>;

/** A bound that a release exceeds. */
export const Finding = z.strictObject({
  bound: BoundName,
  city: z.string().nullable(), // slug; null: all cities together
  moved: z.int().nonnegative(),
  of: z.int().nonnegative(),
  bound_percent: z.int(),
  text: z.string(),
});
export type Finding = z.infer<typeof Finding>;

/** Compares two releases, all cities together and one by one. Without a finding the later one may be published. */
export function judgeRelease(
  before: ReleaseFigures,
  after: ReleaseFigures,
  bounds: Bounds,
  isMerged: (publicId: string) => boolean = () => false,
): Finding[] {
  return judgeMoves(cityMoves(before, after, isMerged), bounds);
}

type Counts = Pick<CityMoves, "records" | "scores" | "ranks" | "cells">;

interface Question {
  readonly bound: BoundName;
  readonly share: (counts: Counts) => Share;
  readonly percent: (bounds: Bounds) => number;
  readonly what: string;
}

const GONE: Question = {
  bound: "records_gone",
  share: ({ records }) => records,
  percent: ({ recordsGone }) => recordsGone,
  what: "records are gone",
};

const QUESTIONS: readonly Question[] = [
  GONE,
  {
    bound: "scores_moved",
    share: ({ scores }) => scores,
    percent: ({ scoresMoved }) => scoresMoved,
    what: `records have a score that moved by more than ${SCORE_POINTS} points`,
  },
  {
    bound: "ranks_moved",
    share: ({ ranks }) => ranks,
    percent: ({ ranksMoved }) => ranksMoved,
    what: `ranked records lost their rank, or moved by more than ${RANK_PLACES} places and ${100 * RANK_SHARE}% of the ranking`,
  },
  {
    bound: "coverage_moved",
    share: ({ cells }) => cells,
    percent: ({ coverageMoved }) => coverageMoved,
    what: "eligible cells came into the coverage or left it",
  },
];

export function judgeMoves(cities: readonly CityMoves[], bounds: Bounds): Finding[] {
  const ask = (city: string | null, name: string, counts: Counts) =>
    QUESTIONS.flatMap(({ bound, share, percent, what }) =>
      exceeded({ bound, city, percent: percent(bounds), floor: bounds.floor, ...share(counts) }, name, what),
    );
  const all = cities.length > 1 ? ask(null, ALL, total(cities)) : [];
  return [...all, ...levels(cities, bounds), ...cities.flatMap((city) => ask(city.city, city.name, city))];
}

/** For a release that another version of the program made, whose records are known by their files alone. */
export function judgeGone(records: Share, { recordsGone: percent, floor }: Bounds): Finding[] {
  return exceeded({ bound: GONE.bound, city: null, percent, floor, ...records }, ALL, GONE.what);
}

const ALL = "All cities";
/** Cities are few, so fewer of them than these never hold a release. */
const LEVEL_FLOOR = 3;

function levels(cities: readonly CityMoves[], { coverageMoved: percent }: Bounds): Finding[] {
  const moved = cities.filter(({ level }) => level.hasMoved).length;
  const limit = { bound: "levels_moved", city: null, percent, floor: LEVEL_FLOOR } as const;
  return exceeded({ ...limit, moved, of: cities.length }, ALL, "cities have another coverage level");
}

interface Measured extends Share {
  readonly bound: BoundName;
  readonly city: string | null;
  readonly percent: number;
  readonly floor: number;
}

function exceeded(
  { bound, city, moved, of, percent, floor }: Measured,
  name: string,
  what: string,
): Finding[] {
  if (percent === 100 || moved < floor || 100 * moved <= percent * of) return [];
  const text = `${name}: ${number(moved)} of ${number(of)} ${what} (bound: ${percent}%)`;
  return [{ bound, city, moved, of, bound_percent: percent, text }];
}

function total(cities: readonly CityMoves[]): Counts {
  const sum = (share: (city: CityMoves) => Share): Share => ({
    moved: cities.reduce((count, city) => count + share(city).moved, 0),
    of: cities.reduce((count, city) => count + share(city).of, 0),
  });
  return {
    records: sum(({ records }) => records),
    scores: sum(({ scores }) => scores),
    ranks: sum(({ ranks }) => ranks),
    cells: sum(({ cells }) => cells),
  };
}
