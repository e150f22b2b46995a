import type { PlacePrecision } from "../../contract/enums.ts";
import {
  type Cohort,
  EntityResponse,
  type EntitySummary,
  PresenceScoreResponse,
  type ScoreComponents,
  ScorePart,
} from "../../contract/records/entity.ts";
import { SCORE_VERSION } from "../../contract/versions.ts";
import type { CityRow, RecordRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { envelope, observedSpan, timeOrNull, twoDecimals } from "../envelope.ts";
import { recordUrl } from "../links.ts";
import { assetWire } from "./observations.ts";
import {
  defineRecordDocument,
  identityHierarchy,
  presenceScoreWire,
  recordRows,
  type Subject,
  standingWire,
} from "./record.ts";

/** Mobile assets publish no place within their city. */
export function placePrecision({ cellCount }: Pick<RecordRow, "cellCount">): PlacePrecision {
  return cellCount > 0 ? "cell" : "city";
}

/** Summary of a Presence Record: used in search results and rankings, and as the base of Entity (interface 2.2). */
export function entitySummary(record: RecordRow, city: CityRow | undefined, baseUrl: string): EntitySummary {
  return {
    public_id: record.publicId,
    name: record.name,
    city: city?.name ?? null,
    city_slug: record.city,
    industry: record.industry,
    status: record.status,
    record_status: record.recordStatus,
    identity_status: record.identityStatus,
    is_synthetic: record.isSynthetic,
    ...standingWire(record),
    ...observedSpan(record, city?.lng),
    place_precision: placePrecision(record),
    online_presence: record.onlineVerdict,
    online_presence_checked_at: timeOrNull(record.online.checkedAt),
    record_url: recordUrl(baseUrl, record.publicId),
    entity_row: record.id,
    record_type: "presence_record",
    identity_hierarchy: identityHierarchy(record.identity),
  };
}

/** What is said of a record by itself, without its assets and rows. */
export function recordFacts({ record, city }: Subject, baseUrl: string) {
  return {
    entity: {
      ...entitySummary(record, city, baseUrl),
      website: record.website,
      same_as: [...(record.identity?.same_as ?? [])],
    },
    presence_score: presenceScoreWire(record),
    stats: {
      observation_count: record.observationCount,
      unique_assets: record.assetCount,
      unique_cells: record.cellCount,
      row_count: record.rowCount,
    },
  };
}

/** What `/api/v1/entity/{public_id}` says, apart from what it says of the release. */
export function entityFacts(snapshot: Snapshot, { record, city }: Subject) {
  const { checkedAt, signalTypes, matchCount } = record.online;
  const assets = snapshot.assetsOf(record.id);
  const { entity, presence_score, stats } = recordFacts({ record, city }, snapshot.release().baseUrl);
  return {
    entity,
    online_presence: {
      verdict: record.onlineVerdict,
      checked_at: timeOrNull(checkedAt),
      signal_types: [...signalTypes],
      match_count: matchCount,
    },
    presence_score,
    stats,
    assets: assets.map((asset) => assetWire(asset, city)),
    rows: recordRows(snapshot, record, assets),
  };
}

export const entity = defineRecordDocument({
  operationId: "getEntity",
  path: "/api/v1/entity/{public_id}",
  summary: "Get a Presence Record with its score, assets and online presence",
  description:
    "Returns 404 when the record does not exist or opted out. When it was merged, the error body names the remaining record in `merged_into`.",
  wire: EntityResponse,
  load: (snapshot, subject) => ({
    ...entityFacts(snapshot, subject),
    ...envelope(snapshot.release(), [subject.city]),
  }),
});

export const presenceScore = defineRecordDocument({
  operationId: "getPresenceScore",
  path: "/api/v1/presence-score/{public_id}",
  summary: "Get a record's Physical Presence Score with components, cohort and history",
  description:
    "`pps` is relative to the city's eligible records and null while the record is not ranked. `components` lists the parts of the raw score, so anyone can recompute it from the observations.",
  wire: PresenceScoreResponse,
  load(snapshot, { record, city }) {
    return {
      public_id: record.publicId,
      name: record.name,
      city: city.slug,
      city_name: city.name,
      is_synthetic: record.isSynthetic,
      ...presenceScoreWire(record),
      components: components(record.standing.score),
      cohort: cohort(city),
      history: record.history.map((point) => ({ ...point, pps: twoDecimals(point.pps) })),
      ...envelope(snapshot.release(), [city]),
    };
  },
});

/** Full precision, so that others can recompute scores from it. */
function components({ raw, parts }: RecordRow["standing"]["score"]): ScoreComponents {
  return {
    methodology_version: SCORE_VERSION,
    raw_score: raw,
    parts: ScorePart.options.map((key) => ({ key, ...parts[key] })),
  };
}

function cohort({ slug, name, cohort: { size, median, spread } }: CityRow): Cohort {
  return {
    city: slug,
    city_name: name,
    industry: null,
    size,
    definition: `All records in ${name} that meet the ranking gate, across industries.`,
    methodology_version: SCORE_VERSION,
    median_raw: median,
    spread,
  };
}
