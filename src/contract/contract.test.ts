import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { CityIndexResponse, CityList } from "./city.ts";
import { CityOptionsResponse } from "./city-options.ts";
import { CoverageStatusResponse } from "./coverage.ts";
import { EntityResponse } from "./entity.ts";
import { ErrorBody } from "./error.ts";
import { EvidencePacket } from "./evidence.ts";
import { cityIndexExample, cityListExample } from "./examples/city.ts";
import { cityOptionsExample } from "./examples/city-options.ts";
import { coverageStatusExample } from "./examples/coverage.ts";
import { entityExample } from "./examples/entity.ts";
import { errorExample } from "./examples/error.ts";
import { evidenceExample } from "./examples/evidence.ts";
import { industryOptionsExample } from "./examples/industry-options.ts";
import { ledgerCheckpointsExample } from "./examples/ledger-checkpoints.ts";
import { observationsExample } from "./examples/observation.ts";
import { presenceScoreExample } from "./examples/presence-score.ts";
import { pulseExample } from "./examples/pulse.ts";
import { searchExample } from "./examples/search.ts";
import { statusExample } from "./examples/status.ts";
import { IndustryOptionsResponse } from "./industry-options.ts";
import { LedgerCheckpointsResponse } from "./ledger-checkpoints.ts";
import { ObservationsResponse } from "./observation.ts";
import { PresenceScoreResponse } from "./presence-score.ts";
import { PulseResponse } from "./pulse.ts";
import { SearchResponse } from "./search.ts";
import { StatusResponse } from "./status.ts";

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
const summaryNulls = [
  ".city",
  ".industry",
  ".pps",
  ".first_observed",
  ".last_observed",
  ".online_presence_checked_at",
  ...gateNulls,
  ...under(".identity_hierarchy", identityNulls),
];
const scoreNulls = [".pps", ".cohort_percentile", ".pbi_rank", ".pbi_cohort_size", ...gateNulls];
const assetNulls = [".legibility_score", ".first_observed", ".last_observed"];
const observationNulls = [".asset_id", ".asset_public_id", ".reprocessed_at", ".recognition_model_version"];

/** Each response with its example and, from interface section 2, the members that may be null. */
const responses: readonly {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly example: unknown;
  readonly nullable: readonly string[];
}[] = [
  {
    name: "search",
    schema: SearchResponse,
    example: searchExample,
    nullable: [
      ...under(".query", [".name", ".city", ".industry", ".online_presence"]),
      ...under(".results[]", summaryNulls),
      ".demand",
    ],
  },
  {
    name: "entity",
    schema: EntityResponse,
    example: entityExample,
    nullable: [
      ...under(".entity", [...summaryNulls, ".website"]),
      ".online_presence.checked_at",
      ...under(".presence_score", scoreNulls),
      ...under(".assets[]", assetNulls),
    ],
  },
  {
    name: "evidence",
    schema: EvidencePacket,
    example: evidenceExample,
    nullable: [
      ...under(".record", [".industry", ".first_observed", ".last_observed"]),
      ...under(".observations.recent[]", observationNulls),
      ...under(".assets[]", assetNulls),
    ],
  },
  {
    name: "presence score",
    schema: PresenceScoreResponse,
    example: presenceScoreExample,
    nullable: [
      ...scoreNulls,
      ".components",
      ...under(".cohort", [".industry", ".median_raw", ".spread"]),
      ".history[].observation_count_30d",
    ],
  },
  {
    name: "observations",
    schema: ObservationsResponse,
    example: observationsExample,
    nullable: under(".observations[]", observationNulls),
  },
  {
    name: "city index",
    schema: CityIndexResponse,
    example: cityIndexExample,
    nullable: [
      ".demand",
      ".industry",
      ".ranking_state",
      ".claim_status",
      ".next_cursor",
      ...under(".rankings[]", [...summaryNulls, ".rank"]),
    ],
  },
  {
    name: "coverage status",
    schema: CoverageStatusResponse,
    example: coverageStatusExample,
    nullable: [".demand"],
  },
  {
    name: "city options",
    schema: CityOptionsResponse,
    example: cityOptionsExample,
    nullable: [".country", ".query"],
  },
  {
    name: "industry options",
    schema: IndustryOptionsResponse,
    example: industryOptionsExample,
    nullable: [".query"],
  },
  { name: "city list", schema: CityList, example: cityListExample, nullable: [] },
  {
    name: "pulse",
    schema: PulseResponse,
    example: pulseExample,
    nullable: under(".events[]", [".industry", ".asset_public_id", ".asset_type", ".corridor"]),
  },
  {
    name: "status",
    schema: StatusResponse,
    example: statusExample,
    nullable: [
      ...under(".processing", [
        ".latest_live_ledger_row",
        ".latest_live_ledger_at",
        ".latest_externally_sealed_row",
        ".latest_external_seal_at",
        ".next_checkpoint_time",
      ]),
      ".incidents[].resolved_at",
    ],
  },
  {
    name: "ledger checkpoints",
    schema: LedgerCheckpointsResponse,
    example: ledgerCheckpointsExample,
    nullable: under(".checkpoints[]", [
      ".previous_manifest_sha256",
      ".timestamp_url",
      ...under(".external_proof", [".provider", ".proof_sha256", ".verified_at"]),
    ]),
  },
  { name: "error", schema: ErrorBody, example: errorExample, nullable: [] },
];

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

function memberAt(value: unknown, path: Path): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(value)) return memberAt(value[Number(step)], rest);
  return isObject(value) ? memberAt(value[step], rest) : undefined;
}

const setNull: Change = (holder, key) => {
  holder[key] = null;
};
const addMember: Change = (holder) => {
  holder["added_later"] = [1];
};
const emptied = (example: unknown) => (Array.isArray(example) ? [{}] : {});

/** Ids that are hashes of something, whose form is fixed. */
const derivedId = (path: Path) =>
  ["snapshot_id", "eligible_cell_manifest_id", "signing_key_id"].includes(String(path.at(-1)));

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

  it("is fictional: every id says so, and an object says it is an example", () => {
    for (const path of memberPaths(example)) {
      const value = memberAt(example, path);
      if (/(^|_)(public_id|id)$/.test(String(path.at(-1))) && typeof value === "string" && !derivedId(path))
        expect(value).toMatch(/^ex_/);
    }
    if (isObject(example)) expect(example).toMatchObject({ example_only: true });
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
