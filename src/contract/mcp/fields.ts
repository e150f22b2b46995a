import { z } from "zod";
import { CityIndexResponse } from "../cities/city.ts";
import { Coverage, CoverageMetrics, DenseGate } from "../cities/coverage.ts";
import { CoverageConfidence } from "../envelope.ts";
import { MAX_QUERY_TEXT, MCP_LIMITS } from "../limits.ts";
import { EntitySummary, PresenceScore } from "../records/entity.ts";

/** Members that several tools share. Inputs are strict, so that a misspelt argument is named; outputs are loose. */

const text = (description: string) =>
  z.string().trim().min(1, "must not be blank").max(MAX_QUERY_TEXT).describe(description);

/** Letters, digits and `_`, so that an error can repeat it. */
export const PublicId = z
  .string()
  .trim()
  .regex(/^\w{1,80}$/, "must be the public_id of a record")
  .describe(
    "`public_id` of the record, as an earlier answer gave it. Pass it in place of the name, for example to pick one of the `candidates`.",
  );
export const BusinessName = text(
  "Name as it is on the sign, for example `Example Bakery`. Spelling counts; case, accents, punctuation, store numbers and legal forms do not.",
);
export const CityInput = text(
  "Slug or display name of one covered city, for example `exampleville` or `Exampleville`. The error for an unknown one lists those covered.",
);

export const CitationUrl = z
  .url()
  .describe(
    "Address of the newest citation of the record: its words, on what it rests, and what holds of it today.",
  );

/** How the arguments led to a record, from the surest way to the least. */
export const MatchedBy = z.enum(["public_id", "exact_name", "normalized_name", "unique_substring"]);
export type MatchedBy = z.infer<typeof MatchedBy>;

const { public_id, name, city, record_type, record_url, identity_hierarchy } = EntitySummary.shape;

export const Match = z.looseObject({
  public_id,
  name,
  city,
  record_type,
  record_url,
  matched_by: MatchedBy.describe("How the arguments led to this record."),
  identity_hierarchy,
});
export type Match = z.infer<typeof Match>;

export const Candidates = z
  .array(z.looseObject({ public_id, name, city, record_url }))
  .describe(
    `Records that the name may mean, at most ${MCP_LIMITS.candidates}; ask get_physical_presence or check_physical_evidence again with the \`public_id\` of one. Nothing is guessed.`,
  );
export type Candidates = z.infer<typeof Candidates>;

const { pps, cohort_percentile } = PresenceScore.shape;

export const ScoreInShort = z.looseObject({ pps, cohort_percentile });
export type ScoreInShort = z.infer<typeof ScoreInShort>;

const metrics = CoverageMetrics.shape;
const gate = DenseGate.shape;

/** What a missing record means in this city: every answer carries it. */
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
    note: CoverageConfidence.shape.note.describe("What a record that is not found means here."),
  })
  .describe("How densely the city has been observed.");
export type CoverageContext = z.infer<typeof CoverageContext>;

export const DataAsOf = CityIndexResponse.shape.data_as_of;
export const ExampleOnly = z.boolean().optional().describe("True in fictional examples only.");
