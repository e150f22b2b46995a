/**
 * What a release has lost against the one before, apart from what somebody meant and what time alone takes. Growth is no loss, and
 * neither is a score or a rank that moved.
 */
import { CoverageTier } from "../../contract/enums.ts";
import type { Between, RecordPair } from "../figures/between.ts";
import type { CityFigures, RecordFigures } from "../figures/figures.ts";

export interface Share {
  readonly moved: number;
  readonly of: number;
}

/** Losses of one city that nothing explains. */
export interface CityLosses {
  readonly city: string; // slug
  readonly name: string;
  readonly records: Share;
  readonly observations: Share; // also those of the records that are gone
  readonly eligible: Share; // records that are still there
  readonly cells: Share; // in the last week that both releases know
  readonly tier: Share; // of coverage, in that week: of one
}

const NOTHING: Share = { moved: 0, of: 0 };

export function cityLosses(between: Between): CityLosses[] {
  const later = new Map(between.after.cities.map((city) => [city.city, city]));
  const mayHaveLostLooks = between.hasErasedUnseen();
  return between.before.cities.map((was) => {
    const is = later.get(was.city);
    const named = { city: was.city, name: was.name };
    if (between.decisionsOf(was).length > 0) return { ...named, ...NO_LOSSES };
    const pairs = between.pairsOf(was.city);
    const judged = pairs.filter((pair) => pair.was !== undefined && !between.isMeant(pair));
    const coverage = mayHaveLostLooks || is === undefined ? undefined : coverageLost(between, was, is, pairs);
    return {
      ...named,
      ...NO_LOSSES,
      records: { moved: judged.filter((pair) => pair.is === undefined).length, of: judged.length },
      observations: observationsLost(between, judged),
      eligible: eligibleLost(between, was, judged),
      ...coverage,
    };
  });
}

const NO_LOSSES = {
  records: NOTHING,
  observations: NOTHING,
  eligible: NOTHING,
  cells: NOTHING,
  tier: NOTHING,
};

function observationsLost(between: Between, judged: readonly RecordPair[]): Share {
  const sum = (count: (was: RecordFigures) => number) =>
    judged.reduce((total, { was }) => total + (was === undefined ? 0 : count(was)), 0);
  return {
    moved: sum((was) => between.lostObservationsOf(was).length),
    of: sum(({ observations }) => observations.length),
  };
}

/** A record whose window closed has lost nothing. */
function eligibleLost(between: Between, city: CityFigures, judged: readonly RecordPair[]): Share {
  const due = judged.filter((pair) => between.isDue(pair));
  const lost = due.filter((pair) => between.hasLostEligibility(pair)).length;
  // What was carried over rested on rows that are erased: each belonged to one record.
  return { moved: Math.max(0, lost - (city.is_carried_over ? between.erasedRows : 0)), of: due.length };
}

/** Compared in a week that both releases know, so that looks which grow old do not count. */
function coverageLost(
  between: Between,
  was: CityFigures,
  is: CityFigures,
  pairs: readonly RecordPair[],
): Pick<CityLosses, "cells" | "tier"> | undefined {
  const { before, after, hasSameVersion, erasedRows } = between;
  const isComparable = hasSameVersion && before.methods.coverage === after.methods.coverage;
  const hasErasure =
    pairs.some((pair) => between.erasedOf(pair.was).length > 0) || (was.is_carried_over && erasedRows > 0);
  const weeks = new Map(is.coverage.history.map((week) => [week.day, week]));
  const last = was.coverage.history.findLast(({ day }) => weeks.has(day));
  const now = weeks.get(last?.day ?? "");
  if (!isComparable || hasErasure || last === undefined || now === undefined) return undefined;
  // Each rejected row was in one cell.
  const fallen = last.cells - now.cells - rowsDecidedAgainst(between, pairs);
  const isLower = TIERS.indexOf(now.tier) < TIERS.indexOf(last.tier);
  return {
    cells: { moved: Math.max(0, fallen), of: last.cells },
    tier: { moved: isLower && !between.hasRecounted(pairs) ? 1 : 0, of: 1 },
  };
}

const TIERS: readonly CoverageTier[] = CoverageTier.options; // the lowest first

function rowsDecidedAgainst(between: Between, pairs: readonly RecordPair[]): number {
  return pairs
    .filter((pair) => between.isMeant(pair))
    .reduce((sum, { was, is }) => sum + Math.max(0, (was?.accepted ?? 0) - (is?.accepted ?? 0)), 0);
}
