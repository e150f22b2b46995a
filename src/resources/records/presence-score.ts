import { RecordParams } from "../../contract/params.ts";
import {
  type Cohort,
  PresenceScoreResponse,
  type ScoreComponents,
  ScorePart,
} from "../../contract/records/presence-score.ts";
import { SCORE_VERSION } from "../../contract/versions.ts";
import type { CityRow, RecordRow } from "../../snapshot/rows.ts";
import { defineResource } from "../define.ts";
import { envelope } from "../envelope.ts";
import { twoDecimals } from "../plain-values.ts";
import { publicRecord, recordPaths } from "./public-record.ts";
import { presenceScoreWire } from "./standing-wire.ts";

export const presenceScore = defineResource({
  operationId: "getPresenceScore",
  path: "/api/v1/presence-score/{public_id}",
  summary: "The Physical Presence Score of a record: parts, cohort and history",
  description:
    "`pps` is relative to the eligible records of the city and null while the record is not ranked; `components` shows how the raw score comes about, so that anyone can compute it again from the observations.",
  pathParams: RecordParams.shape,
  query: {},
  wire: PresenceScoreResponse,
  example: { path: { public_id: "ex_bakery" }, query: {} },
  errors: [400, 404],
  enumerate: recordPaths,
  load({ snapshot }, { public_id }) {
    const found = publicRecord(snapshot, public_id);
    if (found === undefined) return undefined;
    const { record, city } = found;
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

/** Full precision, unlike the scores made of it: it is there to be computed again. */
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
    definition: `Records of ${name} that meet the ranking gate, all industries together.`,
    methodology_version: SCORE_VERSION,
    median_raw: median,
    spread,
  };
}
