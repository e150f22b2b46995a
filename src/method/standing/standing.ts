import type { RankingState, ScoreState } from "../../contract/enums.ts";
import { type AsOf, mean, median, PARAMETERS, round9 } from "../numbers.ts";
import type { RecordFacts } from "../types.ts";
import {
  countable,
  type Gate,
  isIndependent,
  outsideRanking,
  rankingGate,
  rankingReason,
} from "./counting.ts";
import { lowestWithoutAnyOne, type RawScore, rawScore, type WithoutAnyOne } from "./score.ts";

export interface CohortResult {
  readonly pps: number; // 0..100, rounded to 1e-9; publish with `publishedNumber`
  readonly percentile: number; // 0..100
  readonly rank: number; // dense, 1 = highest pps
}

export interface Cohort {
  readonly median: number; // median of the raw scores
  readonly spread: number; // robust spread that scales pps
  readonly results: ReadonlyMap<number, CohortResult>;
}

/** Returns score, percentile and rank of each eligible record of a city; undefined for fewer than 5. Ids must differ. */
export function rankCohort(
  entries: readonly { readonly id: number; readonly raw: number }[],
): Cohort | undefined {
  if (entries.length < PARAMETERS.cohort.minimum) return undefined;
  const raws = entries.map(({ raw }) => raw);
  const centre = median(raws) ?? 0;
  const spread = spreadAround(centre, raws);
  const scored = entries.map(({ id, raw }) => ({ id, pps: ppsOf(raw, { median: centre, spread }) }));
  return { median: centre, spread, results: ranked(scored) };
}

/** The pps of a raw score in a cohort. */
export function ppsOf(raw: number, { median: centre, spread }: Pick<Cohort, "median" | "spread">): number {
  return round9(100 / (1 + Math.exp(-(raw - centre) / spread)));
}

/**
 * 1.4826 MAD and 1.2533 mean absolute deviation both estimate the standard deviation of a normal cohort. The larger one
 * handles cohorts with many ties, and the floor limits the spread of nearly equal scores.
 */
function spreadAround(centre: number, raws: readonly number[]): number {
  const { madFactor, meanDeviationFactor, smallestSpread } = PARAMETERS.cohort;
  const deviations = raws.map((raw) => Math.abs(raw - centre));
  const byMedian = madFactor * (median(deviations) ?? 0);
  const byMean = meanDeviationFactor * (mean(deviations) ?? 0);
  return Math.max(byMedian, byMean, smallestSpread);
}

function ranked(scored: readonly { readonly id: number; readonly pps: number }[]): Map<number, CohortResult> {
  const levels = Map.groupBy(
    scored.toSorted((a, b) => b.pps - a.pps),
    ({ pps }) => pps,
  );
  const results = new Map<number, CohortResult>();
  let below = scored.length;
  let rank = 0;
  for (const [pps, ties] of levels) {
    rank += 1;
    below -= ties.length;
    const percentile = (100 * (below + ties.length / 2)) / scored.length;
    for (const { id } of ties) results.set(id, { pps, percentile, rank });
  }
  return results;
}

/** Standing of one record at `as_of` (interface 2.6). Scores have full precision: publish with `publishedNumber`. */
export interface Standing {
  readonly gate: Gate;
  readonly score: RawScore;
  readonly scoreState: ScoreState;
  readonly rankingState: RankingState;
  readonly reason: string;
  readonly pps: number | null;
  /** The lowest pps that remains when any single principal is left out, in the cohort as it is; null while not ranked. */
  readonly ppsWithoutAnyOneObserver: number | null;
  /** Whether the record would still be eligible when any single principal is left out. */
  readonly gateHoldsWithoutAnyOneObserver: boolean;
  readonly provisionalPps: number; // the raw score
  readonly percentile: number | null;
  readonly rank: number | null;
  readonly cohortSize: number | null; // null outside the cohort
  readonly observers: number; // these three cover the window W
  readonly observations: number;
  readonly days: number;
}

/** Cohort of a city's eligible records. Median and spread are null while there are too few for a ranking. */
export interface CityCohort {
  readonly size: number;
  readonly median: number | null;
  readonly spread: number | null;
}

export interface CityStandings {
  readonly cohort: CityCohort;
  readonly standings: ReadonlyMap<number, Standing>; // by record row
}

/** Ranks all records of one city at `asOf`. Exclude merged and dissolved records. */
export function cityStandings(records: readonly RecordFacts[], asOf: AsOf): CityStandings {
  const assessed = records.map((record) => assess(record, asOf));
  const eligible = assessed.filter(({ gate }) => gate.status === "eligible");
  const cohort = rankCohort(eligible.map(({ record, score }) => ({ id: record.id, raw: score.raw })));
  const standings = new Map<number, Standing>();
  for (const each of assessed) {
    standings.set(each.record.id, standingOf(each, cohort, eligible.length));
  }
  return {
    cohort: { size: eligible.length, median: cohort?.median ?? null, spread: cohort?.spread ?? null },
    standings,
  };
}

/** Standing of a dissolved or merged record: its own evidence, without a cohort. */
export function standingAlone(record: RecordFacts, asOf: AsOf): Standing {
  const assessed = assess(record, asOf);
  return standingOf({ ...assessed, gate: outsideRanking(assessed.gate) }, undefined, 0);
}

/**
 * Orders a city index: by rank and, within one, by the pps that remains without any one observer; then unranked records by
 * provisional score. Public ids break ties.
 */
export function compareCityIndex(a: IndexKey, b: IndexKey): number {
  if (a.rank !== null && b.rank !== null && a.rank !== b.rank) return a.rank - b.rank;
  if ((a.rank === null) !== (b.rank === null)) return a.rank === null ? 1 : -1;
  const [of, than] = [withinRank(a), withinRank(b)];
  if (of !== than) return than - of;
  return a.publicId < b.publicId ? -1 : a.publicId > b.publicId ? 1 : 0;
}

function withinRank({ rank, ppsWithoutAnyOneObserver, provisionalPps }: IndexKey): number {
  return rank === null ? provisionalPps : (ppsWithoutAnyOneObserver ?? 0);
}

export interface IndexKey extends Pick<Standing, "rank" | "ppsWithoutAnyOneObserver" | "provisionalPps"> {
  readonly publicId: string;
}

type Assessed = ReturnType<typeof assess>;

function assess(record: RecordFacts, asOf: AsOf) {
  const counted = countable(record.sightings, asOf);
  const gate = rankingGate(counted, record.industry, record.flagged);
  const without: WithoutAnyOne =
    gate.status === "eligible" ? lowestWithoutAnyOne(record, counted, asOf) : { raw: 0, gateHolds: false };
  return { record, gate, score: rawScore(counted, asOf), without };
}

function standingOf(
  { record, gate, score, without }: Assessed,
  cohort: Cohort | undefined,
  size: number,
): Standing {
  const result = cohort?.results.get(record.id);
  return {
    gate,
    score,
    scoreState: result ? "ranked" : "provisional",
    rankingState: rankingState(gate, result),
    reason: rankingReason({
      gate,
      rank: result?.rank,
      cohortSize: size,
      isCounted: record.sightings.some(isIndependent),
    }),
    pps: result?.pps ?? null,
    ppsWithoutAnyOneObserver: cohort && result ? ppsOf(without.raw, cohort) : null,
    gateHoldsWithoutAnyOneObserver: gate.status === "eligible" && without.gateHolds,
    provisionalPps: score.raw,
    percentile: result?.percentile ?? null,
    rank: result?.rank ?? null,
    cohortSize: gate.status === "eligible" ? size : null,
    observers: gate.observers.current,
    observations: gate.observations.current,
    days: gate.days.current,
  };
}

function rankingState(gate: Gate, result: CohortResult | undefined): RankingState {
  switch (gate.status) {
    case "eligible":
      return result ? "ranked" : "awaiting_cohort";
    case "evidence_building":
      return "insufficient_evidence";
    case "integrity_review":
    case "outside_ranking":
      return gate.status;
  }
}
