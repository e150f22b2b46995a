import type { RankingState, ScoreState } from "../../contract/enums.ts";
import type { AsOf } from "../as-of.ts";
import type { RecordFacts } from "../types.ts";
import { type CohortResult, rankCohort } from "./cohort.ts";
import { countable } from "./counting.ts";
import { type Gate, outsideRanking, rankingGate } from "./gate.ts";
import { type RawScore, rawScore } from "./score.ts";
import { rankingReason } from "./standing-text.ts";

/** Standing of one record at `as_of` (interface 2.6). Scores have full precision: publish with `publishedNumber`. */
export interface Standing {
  readonly gate: Gate;
  readonly score: RawScore;
  readonly scoreState: ScoreState;
  readonly rankingState: RankingState;
  readonly reason: string;
  readonly pps: number | null;
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
    standings.set(each.record.id, standingOf(each, cohort?.results.get(each.record.id), eligible.length));
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

/** Orders a city index: by rank, then unranked records by provisional score; public ids break ties. */
export function compareCityIndex(a: IndexKey, b: IndexKey): number {
  if (a.rank !== null && b.rank !== null && a.rank !== b.rank) return a.rank - b.rank;
  if ((a.rank === null) !== (b.rank === null)) return a.rank === null ? 1 : -1;
  if (a.rank === null && a.provisionalPps !== b.provisionalPps) return b.provisionalPps - a.provisionalPps;
  return a.publicId < b.publicId ? -1 : a.publicId > b.publicId ? 1 : 0;
}

export interface IndexKey {
  readonly publicId: string;
  readonly rank: number | null;
  readonly provisionalPps: number;
}

type Assessed = ReturnType<typeof assess>;

function assess(record: RecordFacts, asOf: AsOf) {
  const counted = countable(record.sightings, asOf);
  return {
    record,
    gate: rankingGate(counted, record.industry, record.flagged),
    score: rawScore(counted, asOf),
  };
}

function standingOf(
  { record, gate, score }: Assessed,
  result: CohortResult | undefined,
  size: number,
): Standing {
  return {
    gate,
    score,
    scoreState: result ? "ranked" : "provisional",
    rankingState: rankingState(gate, result),
    reason: rankingReason({ gate, flagged: record.flagged, rank: result?.rank, cohortSize: size }),
    pps: result?.pps ?? null,
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
