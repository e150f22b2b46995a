/** Fields shared by several tools. Inputs are strict, so errors name misspelled arguments; outputs are loose. */

import { z } from "zod";
import { CityIndexResponse, CityObject } from "../cities/city.ts";
import { Coverage, CoverageMetrics, DenseGate } from "../cities/coverage.ts";
import { ChangeEvent } from "../cities/pulse.ts";
import { CoverageConfidence } from "../envelope.ts";
import { MAX_QUERY_TEXT, MCP_LIMITS } from "../limits.ts";
import { EntitySummary, IdentityHierarchy, PresenceScore, RankingGate } from "../records/entity.ts";

const text = (description: string) =>
  z.string().trim().min(1, "must not be blank").max(MAX_QUERY_TEXT).describe(description);

/** Letters, digits and `_` only, so errors can safely repeat it. */
export const PublicId = z
  .string()
  .trim()
  .regex(/^\w{1,80}$/, "must be the public_id of a record")
  .describe(
    "`public_id` of the record, from an earlier result. Pass it instead of the name, for example to pick one of the `candidates`.",
  );
export const BusinessName = text(
  "Name as shown on the sign, for example `Example Bakery`. Spelling matters; case, accents, punctuation, store numbers and legal forms do not.",
);
export const CityInput = text(
  "Slug or display name of one covered city, for example `exampleville` or `Exampleville`. The error for an unknown city lists the covered ones.",
);

export const AnyCityInput = text(
  "Slug or display name of one covered city. Omit it to look in all covered cities, and in no others.",
).optional();

export const CitySlug = z.string().describe("Slug of the city, to pass as `city`.");
export const SameNameIn = z
  .array(z.string())
  .optional()
  .describe(
    `Slugs of other cities with a record of the same name, at most ${MCP_LIMITS.sameNameCities}; absent without any. Each is a different record: pass the slug as \`city\`.`,
  );

export const CitationUrl = z
  .url()
  .describe("URL of the record's newest citation, with the evidence behind it and its status today.");

export const CitationCount = z
  .int()
  .nonnegative()
  .optional()
  .describe("Number of accepted physical citations of the record; 0 proves nothing about the business.");

/** How the arguments matched a record, most certain first. */
export const MatchedBy = z.enum(["public_id", "exact_name", "normalized_name", "unique_substring"]);
export type MatchedBy = z.infer<typeof MatchedBy>;

const { public_id, name, city, is_synthetic, place_precision, record_type, record_url } = EntitySummary.shape;

/** `brief` fits an agent's context: what leads to the rest, and what the rest must not be read without. */
export const Detail = z.enum(["brief", "full"]);
export type Detail = z.infer<typeof Detail>;

export const DetailInput = Detail.default("brief").describe(
  "`full` adds the members that a brief answer omits, up to three times the characters.",
);

const BRIEF = "Optional members come with `detail: full`.";

export const IdentityInShort = IdentityHierarchy.partial({
  scope: true,
  brand: true,
  organizations: true,
  note: true,
}).describe(BRIEF);

export const GateInShort = RankingGate.partial({
  methodology_version: true,
  independence_version: true,
  independent_observers: true,
  countable_observations: true,
  observation_days: true,
  industry_classification: true,
}).describe(BRIEF);

/** Without what `summary` says in words, and what leads on to the ledger and the exports. */
export const EventInShort = ChangeEvent.partial({
  headline: true,
  city: true,
  city_name: true,
  strongest_verif_state: true,
  independent_observer_count: true,
  industry: true,
  asset_public_id: true,
  corridor: true,
  entity_row: true,
  asset_row: true,
}).describe(BRIEF);

export type EventInShort = z.infer<typeof EventInShort>;

export const Match = z.looseObject({
  public_id,
  name,
  city,
  city_slug: CitySlug,
  is_synthetic,
  place_precision,
  record_type,
  record_url,
  matched_by: MatchedBy.describe("How the arguments matched this record."),
  identity_hierarchy: IdentityInShort,
});
export type Match = z.infer<typeof Match>;

export const Candidates = z
  .array(
    z.looseObject({
      public_id,
      name,
      city,
      city_slug: CitySlug,
      coverage_tier: Coverage.shape.tier,
      is_synthetic,
      record_url,
    }),
  )
  .describe(
    `Records that the name may refer to, at most ${MCP_LIMITS.candidates}, in several cities where none was passed. Call get_physical_presence or check_physical_evidence again with the \`public_id\` of one. The tool never guesses.`,
  );
export type Candidates = z.infer<typeof Candidates>;

const { pps, pps_without_any_one_observer, gate_holds_without_any_one_observer, cohort_percentile } =
  PresenceScore.shape;

export const ScoreInShort = z.looseObject({
  pps,
  pps_without_any_one_observer,
  gate_holds_without_any_one_observer,
  cohort_percentile,
});
export type ScoreInShort = z.infer<typeof ScoreInShort>;

const metrics = CoverageMetrics.shape;
const gate = DenseGate.shape;

/** Meaning of a missing record in this city. Every result carries it. */
export const CoverageContext = z
  .looseObject({
    tier: Coverage.shape.tier,
    coverage_basis: Coverage.shape.coverage_basis,
    eligible_cell_manifest_id: Coverage.shape.eligible_cell_manifest_id,
    denominator_status: Coverage.shape.denominator_status,
    metrics: z.looseObject({
      eligible_coverage_cells: metrics.eligible_coverage_cells,
      observed_eligible_cells_90d: metrics.observed_eligible_cells_90d,
      cell_coverage_ratio_90d: metrics.cell_coverage_ratio_90d,
      independent_scout_observers_180d: metrics.independent_scout_observers_180d,
    }),
    dense_gate: z.looseObject({
      eligible: gate.eligible,
      available: gate.available,
      missing_requirements: gate.missing_requirements,
    }),
    level: CoverageConfidence.shape.level,
    note: CoverageConfidence.shape.note.describe("Meaning of a missing record in this city."),
  })
  .describe("Coverage of the city.");
export type CoverageContext = z.infer<typeof CoverageContext>;

/** The same where the answer is not a list of the city. */
export const CoverageInShort = CoverageContext.partial({
  coverage_basis: true,
  eligible_cell_manifest_id: true,
  denominator_status: true,
  metrics: true,
  dense_gate: true,
}).describe(BRIEF);

export type CoverageInShort = z.infer<typeof CoverageInShort>;

/** A covered city, where an index was asked for without one. */
export const CityInList = z.looseObject({
  slug: CitySlug,
  name: CityObject.shape.name,
  display_label: CityObject.shape.display_label,
  public_index_url: CityObject.shape.public_index_url,
  record_count: z.int().describe("Records in its index, made-up ones included (see `is_synthetic`)."),
  tier: Coverage.shape.tier,
  level: CoverageConfidence.shape.level,
});
export type CityInList = z.infer<typeof CityInList>;

export const DataAsOf = CityIndexResponse.shape.data_as_of;
export const ExampleOnly = z.boolean().optional().describe("True only in fictional examples.");
