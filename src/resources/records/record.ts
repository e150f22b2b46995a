import type { IndustryMethod, IndustryState } from "../../contract/enums.ts";
import { type RecordRows, rowRanges } from "../../contract/ledger/ledger.ts";
import { RecordParams } from "../../contract/params.ts";
import { IDENTITY_NOTE } from "../../contract/records/claim-boundary.ts";
import type {
  IdentityHierarchy,
  LastSeen,
  PresenceScore,
  RankingGate,
} from "../../contract/records/entity.ts";
import { evidenceStateWords, markedName } from "../../contract/records/observation.ts";
import { GATE_VERSION, INDEPENDENCE_VERSION, SCOPE_VERSION } from "../../contract/versions.ts";
import { PublicError } from "../../kernel/errors.ts";
import { cityDate, dayText } from "../../kernel/time.ts";
import type { AssetRow, CitedEvidence, CityRow, RecordRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { type DocumentFacts, defineResource, type PathValues, type Resource } from "../define.ts";
import { twoDecimals, twoDecimalsOrNull } from "../envelope.ts";

export interface Subject {
  readonly record: RecordRow;
  readonly city: CityRow;
}

/** A read about one record, without further arguments. */
export function defineRecordDocument<W>({
  load,
  ...facts
}: DocumentFacts<W> & { load(snapshot: Snapshot, subject: Subject): W }): Resource<W> {
  return defineResource({
    ...facts,
    pathParams: RecordParams.shape,
    query: {},
    example: { path: { public_id: "ex_bakery" }, query: {} },
    errors: [400, 404],
    enumerate: recordPaths,
    load({ snapshot }, { public_id }) {
      const subject = publicRecord(snapshot, public_id);
      return subject && load(snapshot, subject);
    },
  });
}

/** Returns the record with its city, or undefined. A merged record throws a 404 that names the remaining one. */
export function publicRecord(snapshot: Snapshot, publicId: string): Subject | undefined {
  const record = snapshot.record(publicId);
  if (record === undefined) return undefined;
  if (record.mergedInto !== null)
    throw new PublicError(404, "this record was merged into another one: see merged_into", {
      code: "record_merged",
      merged_into: record.mergedInto,
    });
  const city = snapshot.city(record.city);
  return city && { record, city };
}

/** When the record was last seen, by its assets; null where none has an accepted observation. Ties go to the first asset. */
export function lastSeen(
  record: Pick<RecordRow, "name" | "isSynthetic">,
  assets: readonly AssetRow[],
  { lng }: Pick<CityRow, "lng">,
  { newest, observers, accepted }: CitedEvidence,
): LastSeen | null {
  const last = assets.reduce<AssetRow | undefined>(
    (newest, asset) => ((asset.lastObserved ?? 0) > (newest?.lastObserved ?? 0) ? asset : newest),
    undefined,
  );
  if (last === undefined || last.lastObserved === null || newest === null) return null;
  const date = cityDate(last.lastObserved, lng);
  return {
    last_observed_on: date,
    asset_status: last.status,
    months_looked_since: last.monthsLooked,
    note: `${markedName(record)} was last seen on ${dayText(date)} (${evidenceStateWords({ state: newest.state, observers, citations: accepted })})${lookedWords(last.monthsLooked)}.`,
  };
}

function lookedWords(months: number | null): string {
  if (months === null) return ""; // nobody looks for a vehicle
  if (months === 0) return "; no later month of visits to its area is published";
  return `; its area was visited in ${months} later month${months === 1 ? "" : "s"} without a sighting`;
}

export function* recordPaths(snapshot: Snapshot): Iterable<PathValues> {
  for (const public_id of snapshot.publicIds()) yield { public_id };
}

/** The ledger rows that documents about a record rest on. */
export function recordRows(
  snapshot: Snapshot,
  { id }: Pick<RecordRow, "id">,
  assets: readonly AssetRow[],
): RecordRows {
  return {
    record: id,
    assets: assets.map((asset) => asset.id),
    observations: rowRanges(snapshot.observationRowsOf(id)),
  };
}

/** Reviewed relationships (interface 2.4). Null and empty values mean unreviewed, not that none exist. */
export function identityHierarchy(identity: RecordRow["identity"]): IdentityHierarchy {
  const review_state = identity === null ? "unreviewed" : "reviewed";
  return {
    review_state,
    scope: { value: identity?.scope ?? null, review_state, methodology_version: SCOPE_VERSION },
    brand: identity?.brand ?? null,
    organizations: identity?.organizations ?? [],
    note: IDENTITY_NOTE,
  };
}

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
