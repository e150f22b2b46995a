/** Fields shared by several tools. Inputs are strict, so errors name misspelled arguments; outputs are loose. */

import { z } from "zod";
import { CityIndexResponse } from "../cities/city.ts";
import { Coverage, CoverageMetrics, DenseGate } from "../cities/coverage.ts";
import { CoverageConfidence } from "../envelope.ts";
import { MAX_QUERY_TEXT, MCP_LIMITS } from "../limits.ts";
import { EntitySummary, PresenceScore } from "../records/entity.ts";

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

export const CitationUrl = z
  .url()
  .describe("URL of the record's newest citation, with the evidence behind it and its status today.");

/** How the arguments matched a record, most certain first. */
export const MatchedBy = z.enum(["public_id", "exact_name", "normalized_name", "unique_substring"]);
export type MatchedBy = z.infer<typeof MatchedBy>;

const { public_id, name, city, place_precision, record_type, record_url, identity_hierarchy } =
  EntitySummary.shape;

export const Match = z.looseObject({
  public_id,
  name,
  city,
  place_precision,
  record_type,
  record_url,
  matched_by: MatchedBy.describe("How the arguments matched this record."),
  identity_hierarchy,
});
export type Match = z.infer<typeof Match>;

export const Candidates = z
  .array(z.looseObject({ public_id, name, city, record_url }))
  .describe(
    `Records that the name may refer to, at most ${MCP_LIMITS.candidates}. Call get_physical_presence or check_physical_evidence again with the \`public_id\` of one. The tool never guesses.`,
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

/** What a missing record means in this city. Every result carries it. */
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
    note: CoverageConfidence.shape.note.describe("What a missing record means in this city."),
  })
  .describe("Coverage of the city.");
export type CoverageContext = z.infer<typeof CoverageContext>;

export const DataAsOf = CityIndexResponse.shape.data_as_of;
export const ExampleOnly = z.boolean().optional().describe("True only in fictional examples.");
