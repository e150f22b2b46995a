import {
  type Cohort,
  PresenceScoreResponse,
  type ScoreComponents,
  ScorePart,
} from "../../contract/records/presence-score.ts";
import { SCORE_VERSION } from "../../contract/versions.ts";
import type { CityRow, RecordRow } from "../../snapshot/rows.ts";
import { envelope } from "../envelope.ts";
import { twoDecimals } from "../plain-values.ts";
import { defineRecordDocument } from "./record.ts";
import { presenceScoreWire } from "./standing-wire.ts";

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
    industry: null,
    size,
    definition: `All records in ${name} that meet the ranking gate, across industries.`,
    methodology_version: SCORE_VERSION,
    median_raw: median,
    spread,
  };
}
