import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { exampleAnswer } from "../render/reference/examples.ts";
import { citation } from "../resources/citations/citation.ts";
import { cityAccuracy } from "../resources/cities/accuracy.ts";
import { cities, gazetteer } from "../resources/cities/cities.ts";
import { cityIndex } from "../resources/cities/city-index.ts";
import { coverageStatus } from "../resources/cities/coverage-status.ts";
import { explorerCsv } from "../resources/cities/explorer.ts";
import { industries } from "../resources/cities/industries.ts";
import { pulse } from "../resources/cities/pulse.ts";
import type { Resource } from "../resources/define.ts";
import { resources } from "../resources/index.ts";
import { entity } from "../resources/records/entity.ts";
import { evidence } from "../resources/records/evidence.ts";
import { observations } from "../resources/records/observations.ts";
import { presenceScore } from "../resources/records/presence-score.ts";
import { search } from "../resources/records/search.ts";
import { independence } from "../resources/service/independence.ts";
import { ledgerCheckpoints, withdrawals } from "../resources/service/ledger.ts";
import { machineActivity } from "../resources/service/machine-activity.ts";
import { methodologyMetrics } from "../resources/service/methodology-metrics.ts";
import { searchAiReadiness } from "../resources/service/search-ai-readiness.ts";
import { systemStatus } from "../resources/service/system-status.ts";
import { ErrorBody } from "./envelope.ts";
import { NO_REPORT_COUNTS } from "./service/status.ts";

type Path = readonly (string | number)[];
type Change = (holder: Record<string, unknown>, key: string) => void;

const under = (prefix: string, paths: readonly string[]) => paths.map((path) => prefix + path);

const gateNulls = [".ranking_gate.industry_classification.industry"];
const identityNulls = [
  ".brand",
  ".brand.canonical_domain",
  ".organizations[].canonical_domain",
  ".scope.value",
];
const spanNulls = [".first_observed", ".first_observed_on", ".last_observed", ".last_observed_on"];
const summaryNulls = [
  ".city",
  ".industry",
  ".pps",
  ".pps_without_any_one_observer",
  ...spanNulls,
  ".online_presence_checked_at",
  ...gateNulls,
  ...under(".identity_hierarchy", identityNulls),
];
const scoreNulls = [
  ".pps",
  ".pps_without_any_one_observer",
  ".cohort_percentile",
  ".pbi_rank",
  ".pbi_cohort_size",
  ...gateNulls,
];
const assetNulls = [".legibility_score", ...spanNulls];
const observationNulls = [
  ".asset_id",
  ".asset_public_id",
  ".reprocessed_at",
  ".recognition_model_version",
  ".set_aside",
  ".source",
];

/** A response with its example and, from interface section 2, the members that may be null; `more` is what the example lacks. */
function response<W>(resource: Resource<W>, nullable: readonly string[], more: Partial<W> = {}) {
  const example = exampleAnswer(resource);
  return {
    name: resource.operationId,
    schema: resource.wire,
    example: Array.isArray(example) ? example : { ...example, ...more },
    nullable,
  };
}

const incident = {
  id: "ex_incident",
  title: "Late release",
  status: "resolved",
  started_at: "2026-06-10T02:00:00Z",
  resolved_at: "2026-06-10T03:30:00Z",
  message: "The nightly release was published 90 minutes late. No data was lost.",
};

const responses: readonly {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly example: unknown;
  readonly nullable: readonly string[];
}[] = [
  response(search, [
    ...under(".query", [
      ".name",
      ".name_match",
      ".city",
      ".industry",
      ".online_presence",
      ".website",
      ".near",
    ]),
    ...under(".results[]", summaryNulls),
    ".demand",
    ".next_cursor",
  ]),
  response(entity, [
    ...under(".entity", [...summaryNulls, ".website"]),
    ".online_presence.checked_at",
    ...under(".presence_score", scoreNulls),
    ...under(".assets[]", assetNulls),
  ]),
  response(evidence, [
    ...under(".record", [".industry", ...spanNulls]),
    ...under(".observations.recent[]", observationNulls),
    ...under(".assets[]", assetNulls),
    ".citations.cited_row",
    ".citations.evidence_state.newest",
    ".citations.evidence_state.strongest",
  ]),
  response(citation, [
    ".reason",
    ".moved_to",
    ".citation",
    ".citation.cited_row",
    ".citation.proof_url",
    ".newest",
  ]),
  response(presenceScore, [
    ...scoreNulls,
    ".components",
    ...under(".cohort", [".industry", ".median_raw", ".spread"]),
    ".history[].observation_count_30d",
  ]),
  response(observations, [".next_cursor", ...under(".observations[]", observationNulls)]),
  response(cityIndex, [
    ".demand",
    ".industry",
    ".ranking_state",
    ".claim_status",
    ".next_cursor",
    ...under(".rankings[]", [...summaryNulls, ".rank"]),
  ]),
  response(coverageStatus, [".demand"]),
  response(
    cityAccuracy,
    under(".measurement", [
      "",
      ...["precision", "detection_rate"].flatMap((share) =>
        [
          ".total",
          ".by_asset_type.storefront",
          ".by_asset_type.billboard",
          ".by_asset_type.site_sign",
        ].flatMap((group) =>
          under(`.${share}${group}`, [".value", ".confidence_interval", ".not_yet_known"]),
        ),
      ),
    ]),
  ),
  response(gazetteer, [".country", ".query"]),
  response(industries, [".query"]),
  response(cities, []),
  response(methodologyMetrics, [
    ...under(".headline_metrics[]", [".value", ".reviewed", ".confidence_interval", ".not_yet_known"]),
    ...["ocr_sample", "entity_match_sample"].flatMap((sample) =>
      under(`.${sample}`, [".precision", ".confidence_interval", ".not_yet_known"]),
    ),
    ...under(
      ".dispute_metrics",
      Object.keys(NO_REPORT_COUNTS).map((name) => `.${name}`),
    ),
  ]),
  response(independence, [
    ...under(".sources[]", [".name", ".operator"]),
    ...under(".months[].checks[]", [".set_aside", ".restored"]),
    ...under(".months[].sample", [".rate", ".confidence_interval"]),
    ".months[].vouched[].observers",
    ".false_alarms",
    ".false_alarms.rate",
    ".false_alarms.confidence_interval",
  ]),
  response(searchAiReadiness, [
    ".summary.latest_public_observation_at",
    ".summary.latest_public_observation_on",
    ...under(".summary.freshness_distribution[]", [".min_age_days", ".max_age_days"]),
    ".freshness.valid_until",
    ".freshness.latest_seal_at",
  ]),
  response(machineActivity, [
    ".measured_since",
    ".latest_external_request_at",
    ...under(".week_over_week[]", [".previous", ".change"]),
    ".traffic_classes[].share",
  ]),
  response(pulse, [
    ".next_cursor",
    ...under(".events[]", [".asset_row", ".industry", ".asset_public_id", ".asset_type", ".corridor"]),
  ]),
  response(
    systemStatus,
    [
      ".valid_until",
      ".promise",
      ...under(".processing", [
        ".latest_live_ledger_row",
        ".latest_live_ledger_at",
        ".latest_sealed_row",
        ".latest_seal_at",
        ".latest_externally_sealed_row",
        ".latest_external_seal_at",
        ".next_checkpoint_time",
      ]),
      ".incidents[].resolved_at",
    ],
    { incidents: [incident] },
  ),
  response(
    ledgerCheckpoints,
    under(".checkpoints[]", [
      ".previous_manifest_sha256",
      ".timestamp_url",
      ...under(".external_proof", [".provider", ".proof_sha256", ".verified_at"]),
    ]),
  ),
  response(withdrawals, [".next_cursor"]),
  { name: "error", schema: ErrorBody, example: { error: "not found" }, nullable: [] },
];

it("checks every answer in JSON", () => {
  const json = resources.filter(({ operationId }) => operationId !== explorerCsv.operationId);
  expect(responses.map(({ name }) => name)).toEqual([...json.map(({ operationId }) => operationId), "error"]);
});

/** Every member of every object within a value, as a path; array elements count by their index. */
function memberPaths(value: unknown, at: Path = []): Path[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => memberPaths(item, [...at, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[...at, key], ...memberPaths(inner, [...at, key])]);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy of `value` in which the object holding the member at `path` was passed through `change`. */
function changed(value: unknown, path: Path, change: Change) {
  const copy: unknown = structuredClone(value);
  let holder: unknown = copy;
  for (const step of path.slice(0, -1)) {
    if (Array.isArray(holder)) holder = holder[Number(step)];
    else if (isObject(holder)) holder = holder[step];
  }
  if (isObject(holder)) change(holder, String(path.at(-1)));
  return copy;
}

/** `rankings[].pps`: the same for all elements of an array. */
function pattern(path: Path): string {
  return path.map((step) => (typeof step === "number" ? "[]" : `.${step}`)).join("");
}

const setNull: Change = (holder, key) => {
  holder[key] = null;
};
const addMember: Change = (holder) => {
  holder["added_later"] = [1];
};
const emptied = (example: unknown) => (Array.isArray(example) ? [{}] : {});

const required = (path: Path) => path.at(-1) !== "example_only";

describe.each(responses)("$name", ({ schema, example, nullable }) => {
  it("accepts its example and hands it on unchanged", () => {
    expect(schema.parse(example)).toEqual(example);
  });

  it("refuses each missing member, at every depth", () => {
    const optional = memberPaths(example)
      .filter(required)
      .filter(
        (path) => schema.safeParse(changed(example, path, (holder, key) => delete holder[key])).success,
      );
    expect(optional.map(pattern)).toEqual([]);
  });

  it("accepts null where the interface allows it, and nowhere else", () => {
    const accepted = memberPaths(example)
      .filter(required)
      .filter((path) => schema.safeParse(changed(example, path, setNull)).success);
    expect([...new Set(accepted.map(pattern))].sort()).toEqual([...nullable].sort());
  });

  it("accepts members it does not know, in every object", () => {
    for (const path of memberPaths(example)) {
      const more = changed(example, path, addMember);
      expect(schema.parse(more)).toEqual(more);
    }
  });

  it("becomes a JSON Schema (2020-12) that a validator applies to the example alike", () => {
    const json = z.toJSONSchema(schema, { target: "draft-2020-12", io: "output" });
    const validate = addFormats.default(new Ajv2020({ strict: false })).compile(json);
    expect(validate(example), JSON.stringify(validate.errors)).toBe(true);
    expect(validate(emptied(example))).toBe(false);
    expect(JSON.stringify(json)).not.toContain('"additionalProperties":false');
  });
});

it("names each schema once, so that one document can hold them all", () => {
  const all = z.looseObject(Object.fromEntries(responses.map(({ name, schema }) => [name, schema])));
  const { $defs = {} } = z.toJSONSchema(all, { target: "draft-2020-12", io: "output" });
  for (const { schema } of responses) {
    const { id, description } = schema.meta() ?? {};
    expect($defs[String(id)]).toMatchObject({ description });
  }
});
