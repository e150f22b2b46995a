/** The figures of a release, from its snapshot. */
import { createHash } from "node:crypto";
import type { Entity } from "../../contract/records/entity.ts";
import type { RecordPart } from "../../contract/service/exports.ts";
import {
  COVERAGE_VERSION,
  GATE_VERSION,
  INDEPENDENCE_VERSION,
  SCORE_VERSION,
} from "../../contract/versions.ts";
import { DAY_MS, isoDate, isoTime, solarDayNumber, solarOffsetHours } from "../../kernel/time.ts";
import { entityFacts } from "../../resources/records/entity.ts";
import type { Subject } from "../../resources/records/record.ts";
import { evidenceHoldsUntil } from "../../snapshot/queries/record-queries.ts";
import type { CityRow, RecordRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import {
  type CityFigures,
  distances,
  FIGURES_VERSION,
  type RecordFigures,
  type ReleaseFigures,
} from "./figures.ts";

const METHODS = {
  score: [SCORE_VERSION, GATE_VERSION, INDEPENDENCE_VERSION].join(" "),
  coverage: COVERAGE_VERSION,
};

export function releaseFigures(snapshot: Snapshot): ReleaseFigures {
  const { releaseId, asOf, lastSealedRow, mends } = snapshot.release();
  const withdrawn = snapshot.withdrawals(0, 0, snapshot.withdrawalCount());
  return {
    format: "release-figures",
    version: FIGURES_VERSION,
    release_id: releaseId,
    data_as_of: isoTime(asOf),
    last_sealed_row: mends?.lastSealedRow ?? lastSealedRow,
    methods: METHODS,
    merged: snapshot.mergedIds().map(({ publicId, mergedInto }) => [publicId, mergedInto]),
    withdrawn: withdrawn.map(({ row, erasedBy }) => [row, erasedBy]),
    changes: snapshot.changes().map(({ row, target, change }) => [row, target, change]),
    cities: snapshot.cities().map((city) => cityFigures(snapshot, city, asOf)),
  };
}

function cityFigures(snapshot: Snapshot, city: CityRow, ms: number): CityFigures {
  const { level, metrics, history } = city.coverage;
  return {
    city: city.slug,
    row: city.id,
    name: city.name,
    day: isoDate(solarDayNumber(ms, solarOffsetHours(city.lng)) * DAY_MS),
    is_carried_over: city.carriedOverAt !== null,
    coverage: {
      level,
      eligible_cells: metrics.eligible_coverage_cells,
      cells: metrics.observed_eligible_cells_90d,
      history: history.map(({ day, observed_eligible_cells_90d: cells, tier }) => ({ day, cells, tier })),
    },
    records: snapshot.recordsOf(city.slug).map((record) => recordFigures(snapshot, record, city)),
  };
}

function recordFigures(snapshot: Snapshot, record: RecordRow, city: CityRow): RecordFigures {
  const assets = snapshot.assetsOf(record.id);
  const observations = [...snapshot.storedObservationsOf(record.id)];
  const rows = observations.map(({ id }) => id).sort((a, b) => a - b);
  const { standing, observationCount, setAsideCount } = record;
  return {
    id: record.publicId,
    row: record.id,
    name: record.name,
    industry: record.industry,
    status: record.status,
    gate: standing.gate.status,
    holds_until: standing.gate.status === "eligible" ? evidenceHoldsUntil(observations, city.lng) : null,
    rank: standing.rank,
    raw: standing.score.raw,
    assets: assets.map(({ id }) => id),
    observations: distances(rows),
    accepted: observationCount,
    counting: observationCount - setAsideCount,
    digests: digestsOf(snapshot, { record, city }),
  };
}

/** Of each member of a record's entity, what it belongs to; null: it says nothing of its own. */
const PART_OF: Readonly<Record<keyof typeof Entity.shape, RecordPart | null>> = {
  public_id: null,
  entity_row: null,
  record_type: null,
  record_url: null,
  name: "identity",
  city: "identity",
  city_slug: null, // says what `city` says
  industry: "identity",
  is_synthetic: "identity",
  website: "identity",
  same_as: "identity",
  identity_hierarchy: "identity",
  status: "status",
  record_status: "status",
  identity_status: "status",
  online_presence: "status",
  online_presence_checked_at: "status",
  first_observed: "evidence",
  first_observed_on: "evidence",
  last_observed: "evidence",
  last_observed_on: "evidence",
  place_precision: "evidence",
  pps: "score",
  pps_without_any_one_observer: "score",
  gate_holds_without_any_one_observer: "score",
  provisional_pps: "score",
  score_state: "score",
  ranking_state: "score",
  ranking_reason: null, // words for the other members
  independent_observer_count: "score",
  independent_observation_count: "score",
  observation_day_count: "score",
  set_aside_count: "score",
  counting_observation_count: "score",
  ranking_gate: "score",
};
const MEMBERS = Object.entries(PART_OF);

/** Of what the record publishes, so that two of them differ where its document does, whichever program made it. */
function digestsOf(snapshot: Snapshot, subject: Subject): RecordFigures["digests"] {
  const { entity, online_presence, presence_score, stats, assets, rows } = entityFacts(snapshot, subject);
  const values = new Map<string, unknown>(Object.entries(entity));
  const { ranking_reason: _, ...score } = presence_score;
  const of = (part: RecordPart, ...more: readonly unknown[]) =>
    digest([...MEMBERS.flatMap(([name, its]) => (its === part ? [values.get(name)] : [])), ...more]);
  return {
    evidence: of("evidence", stats, assets, rows),
    status: of("status", online_presence),
    identity: of("identity"),
    score: of("score", score),
  };
}

/** 96 bits of SHA-256: a record is compared with itself alone. */
function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest().subarray(0, 12).toString("base64url");
}
