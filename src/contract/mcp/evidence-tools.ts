import { z } from "zod";
import { MAX_QUERY_TEXT } from "../limits.ts";
import { NO_RESULT } from "../records/claim-boundary.ts";
import { LastSeen } from "../records/entity.ts";
import { Observation } from "../records/observation.ts";
import { SimilarNames } from "../records/search.ts";
import {
  AnyCityInput,
  BusinessName,
  Candidates,
  CitationCount,
  CitationUrl,
  CoverageInShort,
  DataAsOf,
  DetailInput,
  ExampleOnly,
  Match,
  PublicId,
  SameNameIn,
} from "./fields.ts";

/** Meaning and limits of each verdict. */
export const VERDICT_TEXT: Readonly<Record<EvidenceVerdict | RealityVerdict, string>> = {
  physical_citations_found:
    "The record has accepted physical citations. The result names the newest one and how certain its evidence is. The verdict does not state that the business is legitimate or still there.",
  physically_observed:
    "The same as `physical_citations_found`, under the deprecated tool's name. The verdict does not judge the business.",
  no_accepted_citation: `The record has no accepted physical citation, which proves nothing about the business. ${NO_RESULT.limitation}`,
  record_not_found: `The name matches no record in the city, or in the covered cities where none was passed, which proves nothing about the business. ${NO_RESULT.limitation}`,
  ambiguous_name:
    "The name matches several records, listed in `candidates`, and `citation` quotes none of them. Call the tool again with the `public_id` of one.",
};

/** Deprecation of a tool: its replacement and its removal date. */
export const Deprecation = z.looseObject({ replacement: z.string(), removal_after: z.iso.date() });
export type Deprecation = z.infer<typeof Deprecation>;

export interface ToolContract<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly deprecated?: Deprecation;
  /** Arguments of the canonical example; fixtures/examples has its result. */
  readonly example: z.input<Input>;
}

/** Keeps the exact types of a contract's schemas. */
export function tool<Input extends z.ZodObject, Output extends z.ZodObject>(
  contract: ToolContract<Input, Output>,
): ToolContract<Input, Output> {
  return contract;
}

export const EXAMPLE_CITY = "exampleville";
export const EXAMPLE_NAME = "Example Bakery";

export const context = { coverage_context: CoverageInShort, data_as_of: DataAsOf };

/** Exactly one of the two is required. The tools check this, because plain object schemas cannot express it. */
export const byNameOrId = { business_name: BusinessName.optional(), public_id: PublicId.optional() };

/** The tool that quotes accepted evidence, and its deprecated predecessor (interface 4.21). */

/** Closed list of results. No verdict judges whether a business is real. */
export const EvidenceVerdict = z.enum([
  "physical_citations_found",
  "no_accepted_citation",
  "record_not_found",
  "ambiguous_name",
]);
export type EvidenceVerdict = z.infer<typeof EvidenceVerdict>;

/** The same list with the names of the deprecated tool. */
export const RealityVerdict = z.enum([
  "physically_observed",
  "no_accepted_citation",
  "record_not_found",
  "ambiguous_name",
]);
export type RealityVerdict = z.infer<typeof RealityVerdict>;

const row = Observation.shape;

const CitedObservation = z
  .looseObject({
    id: row.id,
    observed_on: row.observed_on,
    observed_at: row.observed_at,
    presence_kind: row.presence_kind,
    verif_state: row.verif_state,
    counts_as_independent: row.counts_as_independent,
    set_aside: row.set_aside,
    published_at: row.published_at,
    ledger_hash: row.ledger_hash,
    proof_url: row.proof_url,
  })
  .describe("The most recent accepted observation, which `citation` cites.");

const checked = {
  summary: z.string().describe("The result, its certainty and its meaning, in two or three sentences."),
  citation: z
    .string()
    .describe(
      "A sentence to quote as returned. For an ambiguous name it counts the matching records and quotes none.",
    ),
  citation_url: CitationUrl.optional(),
  entity: Match.optional(),
  citation_count: CitationCount,
  cited_observation: CitedObservation.optional(),
  last_seen: LastSeen.optional(),
  evidence_url: z
    .url()
    .optional()
    .describe("URL of the whole evidence packet, including what it does not prove."),
  candidates: Candidates.optional(),
  same_name_in: SameNameIn,
  similar_names: SimilarNames.optional(),
  ...context,
  example_only: ExampleOnly,
};

export const checkPhysicalEvidence = tool({
  name: "check_physical_evidence",
  title: "Check physical evidence for a business",
  description:
    "Checks whether accepted physical citations of a business exist in a city or, without city, in all covered ones. Returns a sentence to quote, the newest observation and a link to its ledger proof. Use it before you state that a business was physically seen; for score and identity, use get_physical_presence. Pass either business_name or, to pick one of several candidates, public_id. It never states that a business is absent, closed, legitimate or in operation.",
  input: z.strictObject({ ...byNameOrId, city: AnyCityInput, detail: DetailInput }),
  output: z.looseObject({ verdict: EvidenceVerdict, ...checked }),
  example: { business_name: EXAMPLE_NAME, city: EXAMPLE_CITY },
});

export type EvidenceCheck = z.infer<typeof checkPhysicalEvidence.output>;

/** Earliest removal date. The tool stays until the next major version; `check:contract` warns before this date. */
export const realityDeprecation: Deprecation = {
  replacement: checkPhysicalEvidence.name,
  removal_after: "2027-11-30",
};

export const checkBusinessReality = tool({
  name: "check_business_reality",
  title: "Check business reality (deprecated)",
  description:
    "[DEPRECATED, use check_physical_evidence] Reports accepted physical evidence and does not judge business legitimacy. Pass either name_or_address or public_id. Addresses are not published, so an address never matches a record.",
  input: z.strictObject({
    name_or_address: z
      .string()
      .trim()
      .min(1, "must not be blank")
      .max(MAX_QUERY_TEXT)
      .optional()
      .describe(
        "Name as shown on the sign. Addresses are not published, so an address never matches a record.",
      ),
    public_id: PublicId.optional(),
    city: AnyCityInput,
    detail: DetailInput,
  }),
  output: z.looseObject({ verdict: RealityVerdict, deprecated: Deprecation, ...checked }),
  deprecated: realityDeprecation,
  example: { name_or_address: EXAMPLE_NAME, city: EXAMPLE_CITY },
});
