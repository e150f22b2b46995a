/**
 * How far a release is from another one, apart from what time alone explains. Values age: scores fall a little each day, observations leave their
 * window, cells were looked at too long ago. None of that counts here.
 */
import { DAY_MS } from "../../kernel/time.ts";
import type { CityFigures, CoverageFigures, RecordFigures, ReleaseFigures } from "./release-figures.ts";

/** Counts of one city. */
export interface CityMoves {
  readonly city: string; // slug
  readonly name: string;
  readonly records: Share; // listed ones that are gone
  readonly added: number; // records that were not listed
  readonly scores: Share;
  readonly ranks: Share;
  readonly cells: Share; // cells with or without a look, of the eligible ones
  readonly level: { readonly before: string; readonly after: string; readonly hasMoved: boolean };
}

export interface Share {
  readonly moved: number;
  readonly of: number;
}

/** A score has moved from this on (0..100). */
export const SCORE_POINTS = 10;
/** A record has moved in its city's ranking from this on: a share of the ranking, and a number of places. */
export const RANK_SHARE = 0.1;
export const RANK_PLACES = 3;
/** The components that halve with time lose at most 0.38 points of a score in a day. */
const AGEING_POINTS_PER_DAY = 0.4;

const NOTHING: Share = { moved: 0, of: 0 };

/** `isMerged`: whether the later release has the record as part of another one. */
export function cityMoves(
  before: ReleaseFigures,
  after: ReleaseFigures,
  isMerged: (publicId: string) => boolean,
): CityMoves[] {
  const days = 1 + Math.max(0, (after.asOf - before.asOf) / DAY_MS);
  const later = new Map(after.cities.map((city) => [city.slug, city]));
  const hasScores = before.scoreMethod === after.scoreMethod;
  const hasCoverage = before.coverageMethod === after.coverageMethod;
  return before.cities.map((city) => {
    const now = later.get(city.slug) ?? emptied(city);
    const pairs = pairsOf(city, now, days);
    return {
      city: city.slug,
      name: city.name,
      records: goneOf(city, pairs, isMerged),
      added: now.records.length - pairs.length,
      scores: hasScores ? scoresOf(city, pairs) : NOTHING,
      ranks: hasScores ? ranksOf(city, now, pairs) : NOTHING,
      ...coverageMoves(city, now.coverage, hasCoverage && later.has(city.slug)),
    };
  });
}

/** A city that is no longer published. */
function emptied(city: CityFigures): CityFigures {
  return { ...city, records: [] };
}

interface Pair {
  readonly was: RecordFigures;
  readonly is: RecordFigures;
  /** Whether the score is the one before, only older. */
  readonly hasOnlyAged: boolean;
  readonly hasLostToAge: boolean; // observations that left the window
}

function pairsOf(before: CityFigures, after: CityFigures, days: number): Pair[] {
  const now = new Map(after.records.map((record) => [record.publicId, record]));
  return before.records.flatMap((was) => {
    const is = now.get(was.publicId);
    if (is === undefined) return [];
    const hasLostToAge = hasLeftWindow(was, is);
    const fall = was.raw - is.raw;
    const hasOnlyAged = fall >= 0 && (hasLostToAge || fall <= AGEING_POINTS_PER_DAY * days);
    return [{ was, is, hasOnlyAged, hasLostToAge }];
  });
}

/** Fewer observations in the window, although no fewer count than before. */
function hasLeftWindow(was: RecordFigures, is: RecordFigures): boolean {
  const isFewer = is.observers < was.observers || is.observations < was.observations || is.days < was.days;
  return isFewer && is.counting >= was.counting;
}

function goneOf(
  { records }: CityFigures,
  pairs: readonly Pair[],
  isMerged: (publicId: string) => boolean,
): Share {
  const stays = new Set(pairs.map(({ was }) => was.publicId));
  const judged = records.filter(({ isErased }) => !isErased);
  const gone = judged.filter(({ publicId }) => !stays.has(publicId) && !isMerged(publicId));
  return { moved: gone.length, of: judged.length };
}

/** Each erased row belonged to one record at most. */
function scoresOf({ erasedRows }: CityFigures, pairs: readonly Pair[]): Share {
  const judged = pairs.filter(({ was }) => !was.isErased);
  const moved = judged.filter(
    ({ was, is, hasOnlyAged }) => !hasOnlyAged && Math.abs(was.raw - is.raw) > SCORE_POINTS,
  );
  return { moved: Math.max(0, moved.length - erasedRows), of: judged.length };
}

/**
 * Compares the places of the records that were ranked with those that they would have had if time alone had passed. A record that lost its rank
 * has moved, unless its observations left the window or the others are too few for a ranking.
 */
function ranksOf({ erasedRows }: CityFigures, after: CityFigures, pairs: readonly Pair[]): Share {
  const judged = pairs.filter(({ was }) => was.rank !== null && !was.isErased);
  const stay = judged.filter(({ is }) => is.rank !== null);
  const lost = judged.filter(({ is, hasLostToAge }) => is.rank === null && !is.isEligible && !hasLostToAge);
  const erased = new Set(pairs.filter(({ was }) => was.isErased).map(({ was }) => was.publicId));
  const ranked = after.records.filter(({ publicId, rank }) => rank !== null && !erased.has(publicId));
  const aged = ({ was, is, hasOnlyAged }: Pair) => (hasOnlyAged ? is.raw : was.raw);
  const [expected, actual] = [placesAmong(stay.map(aged)), placesAmong(ranked.map(({ raw }) => raw))];
  const least = Math.max(RANK_PLACES, RANK_SHARE * stay.length) + erasedRows;
  const moved = stay.filter((pair) => Math.abs(expected(aged(pair)) - actual(pair.is.raw)) > least);
  return { moved: Math.max(0, moved.length + lost.length - erasedRows), of: judged.length };
}

/** The place of a score among these, from 1; equal scores share one. */
function placesAmong(scores: readonly number[]): (score: number) => number {
  const places = new Map<number, number>();
  for (const [at, score] of scores.toSorted((a, b) => b - a).entries())
    if (!places.has(score)) places.set(score, at + 1);
  return (score) => places.get(score) ?? 0;
}

/** A fall counts if a week that both releases know lost cells, and no erasure can have taken them; a rise counts as it is. */
function coverageMoves(
  { coverage: was, erasedRows, records }: CityFigures,
  is: CoverageFigures,
  isComparable: boolean,
): Pick<CityMoves, "cells" | "level"> {
  const hasErasure = erasedRows > 0 || records.some(({ isErased }) => isErased);
  const fall = hasErasure ? 0 : fallInCommonWeek(was, is);
  const rise = Math.max(0, is.cells - was.cells);
  const isLower = LEVELS.indexOf(is.level) < LEVELS.indexOf(was.level);
  const hasFallen = !hasErasure && isLower && (fall > 0 || was.isReviewed !== is.isReviewed);
  return {
    cells: isComparable ? { moved: Math.max(fall, rise), of: was.eligibleCells } : NOTHING,
    level: {
      before: was.level,
      after: is.level,
      hasMoved: isComparable && was.level !== is.level && (!isLower || hasFallen),
    },
  };
}

const LEVELS: readonly string[] = ["none", "low", "medium", "high"];

function fallInCommonWeek(was: CoverageFigures, is: CoverageFigures): number {
  const now = new Map(is.history.map(({ day, cells }) => [day, cells]));
  const last = was.history.findLast(({ day }) => now.has(day));
  return last === undefined ? 0 : Math.max(0, last.cells - (now.get(last.day) ?? 0));
}
