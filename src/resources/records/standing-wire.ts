import type { IndustryMethod, IndustryState } from "../../contract/enums.ts";
import type { PresenceScore, RankingGate } from "../../contract/records/entity.ts";
import { GATE_VERSION, INDEPENDENCE_VERSION } from "../../contract/versions.ts";
import type { RecordRow } from "../../snapshot/rows.ts";
import { twoDecimals, twoDecimalsOrNull } from "../plain-values.ts";

/** Method of an industry classification. Only declared and reviewed ones count for ranking (design 6, 7). */
const METHOD_OF_STATE: Readonly<Record<IndustryState, IndustryMethod>> = {
  reviewed: "reviewed",
  declared: "declared",
  review: "name_rule",
  unclassified: "unclassified",
};

export const RANK_TIE_POLICY = "dense_rank_on_full_precision_pps";

/** Standing of a record: fields shared by summaries and scores (interface 2.2, 2.6). */
export function standingWire(record: RecordRow) {
  const { standing } = record;
  return {
    pps: twoDecimalsOrNull(standing.pps),
    pps_without_any_one_observer: twoDecimalsOrNull(standing.ppsWithoutAnyOneObserver),
    gate_holds_without_any_one_observer: standing.gateHoldsWithoutAnyOneObserver,
    provisional_pps: twoDecimals(standing.provisionalPps),
    score_state: standing.scoreState,
    ranking_state: standing.rankingState,
    ranking_reason: standing.reason,
    independent_observer_count: standing.observers,
    independent_observation_count: standing.observations,
    observation_day_count: standing.days,
    set_aside_count: record.setAsideCount,
    counting_observation_count: record.observationCount - record.setAsideCount,
    ranking_gate: rankingGate(record),
  };
}

/** Score and rank in the cohort (interface 2.6). */
export function presenceScoreWire(record: RecordRow): PresenceScore {
  const { standing } = record;
  return {
    ...standingWire(record),
    cohort_percentile: twoDecimalsOrNull(standing.percentile),
    pbi_rank: standing.rank,
    pbi_cohort_size: standing.cohortSize,
    pbi_cohort: record.city,
    rank_tie_policy: RANK_TIE_POLICY,
  };
}

function rankingGate({ standing: { gate }, industry, industryState }: RecordRow): RankingGate {
  return {
    status: gate.status,
    methodology_version: GATE_VERSION,
    independence_version: INDEPENDENCE_VERSION,
    independent_observers: { ...gate.observers },
    countable_observations: { ...gate.observations },
    observation_days: { ...gate.days },
    industry_classification: {
      industry,
      state: industryState,
      method: METHOD_OF_STATE[industryState],
      authoritative_for_ranking: industryState === "declared" || industryState === "reviewed",
    },
    missing_requirements: [...gate.missing],
  };
}
