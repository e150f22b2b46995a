import { z } from "zod";
import { PresenceKind, SourceType, VerificationState } from "../enums.ts";
import { Count, observedSpanFields, Ratio, Timestamp, Uri } from "../fields.ts";
import { SCHEMA } from "../versions.ts";
import { Asset } from "./asset.ts";
import { EntitySummary } from "./entity.ts";
import { Observation } from "./observation.ts";

const Statements = z.array(z.string()).min(1);

const KindTexts = z.looseObject({
  location_presence: z.string(),
  mobile_presence: z.string(),
  brand_mention: z.string(),
} satisfies Record<PresenceKind, z.ZodString>);

export const EvidenceClaimBoundary = z
  .looseObject({
    schema: z.literal(SCHEMA.claimBoundary),
    contract_version: z.string(),
    positive_result: z.looseObject({
      summary: z.string(),
      presence_kinds: KindTexts.describe("What each kind does and does not imply."),
    }),
    no_result: z.looseObject({ meaning: z.string(), limitation: z.string() }),
    what_this_proves: Statements,
    what_this_does_not_prove: Statements,
  })
  .meta({ id: "EvidenceClaimBoundary", description: "What may and may not be concluded from an answer." });
export type EvidenceClaimBoundary = z.infer<typeof EvidenceClaimBoundary>;

const summary = EntitySummary.shape;

const EvidenceRecord = z.looseObject({
  public_id: summary.public_id,
  name: summary.name,
  city: z.string().describe("Slug of the city."),
  city_name: z.string(),
  industry: summary.industry,
  record_status: summary.record_status,
  identity_status: summary.identity_status,
  status: summary.status,
  is_synthetic: summary.is_synthetic,
  ...observedSpanFields,
  urls: z.looseObject({ record: Uri }),
});

const mixOf = <Value extends z.ZodType>(value: Value, total: string) =>
  z.array(z.looseObject({ value, count: Count, share: Ratio.describe(`count / ${total}.`) }));

export const EvidencePacket = z
  .looseObject({
    schema: z.literal(SCHEMA.evidencePacket),
    generated_at: Timestamp,
    record: EvidenceRecord,
    what_this_proves: Statements,
    what_this_does_not_prove: Statements,
    evidence_claim_boundary: EvidenceClaimBoundary,
    observations: z.looseObject({
      total_public: Count.describe("Accepted observations; rejected rows do not count."),
      total_rows: Count.describe("Listed rows, rejected ones included."),
      unique_assets: Count.describe("Assets with an accepted observation."),
      unique_cells: Count.describe("Map cells with an accepted observation."),
      source_mix: mixOf(SourceType, "total_public"),
      verification_mix: mixOf(VerificationState, "total_rows").describe("Of all listed rows."),
      presence_mix: mixOf(PresenceKind, "total_public"),
      recent: z.array(Observation).describe("Newest first."),
    }),
    assets: z.array(Asset),
    verification: z
      .looseObject({
        tree_size: z.int().positive().describe("Ledger rows that the newest checkpoint covers."),
        checkpoint_url: Uri.describe("The signed tree head."),
        keys_url: Uri.describe("Keys of the ledger with their spans."),
        verify_url: Uri.describe("Page on which a browser checks a row by itself."),
        note: z.string(),
      })
      .describe(
        "How to check the listed rows without trusting this service; each row also has its `proof_url`.",
      ),
    citations: z.looseObject({
      note: z.string(),
      location_presence: Count,
      mobile_presence: Count,
      brand_mention: Count,
      evidence_state: z
        .looseObject({
          strongest: z
            .enum(["provisional", "corroborated", "verified"])
            .nullable()
            .describe("Of the accepted observations; null when there is none."),
          newest: z
            .enum(["provisional", "corroborated", "verified"])
            .nullable()
            .describe("Of `cited_row`; null when there is none."),
          independent_observers: Count.describe("Observers of the accepted observations."),
          provisional: Count.describe("Accepted observations that no second observer corroborates yet."),
          corroborated: Count.describe("Accepted observations that another observer corroborates."),
          verified: Count.describe("Accepted observations that a review verified."),
          note: z.string(),
        })
        .describe("How certain the accepted observations are; `suggested_citation` says it in words."),
      suggested_citation: z
        .string()
        .describe("Ready to quote, with the state of the evidence. Ends with `citation_url`."),
      citation_id: z
        .string()
        .describe(
          "Names record, newest accepted row (0: none), tree size, as-of day, version of the sentence and a check of its words.",
        ),
      citation_url: Uri.describe(
        "Page that resolves the citation: its words as published, and what holds today.",
      ),
      cited_row: z
        .int()
        .positive()
        .nullable()
        .describe("The accepted observation that was observed last; null when there is none."),
      license: z.string(),
    }),
  })
  .meta({ id: "EvidencePacket", description: "All public evidence for one record, with its limits stated." });
export type EvidencePacket = z.infer<typeof EvidencePacket>;
