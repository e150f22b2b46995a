import { z } from "zod";
import { Count, Day, Timestamp, Uri } from "../fields.ts";
import { RowRanges } from "../ledger/row-ranges.ts";
import { SCHEMA } from "../versions.ts";
import { SentenceVersion } from "./sentences.ts";

/** Status of a citation in the newest release. */
export const CitationStatus = z.enum(["current", "superseded", "disputed", "withdrawn"]);
export type CitationStatus = z.infer<typeof CitationStatus>;

/** Reason for a status other than `current`. The list is closed. */
export const CitationReason = z.enum([
  "newer_evidence", // superseded: accepted observations, their states, what counts or the name of the city have changed
  "record_merged", // superseded: the record was merged into another one
  "cited_row_rejected", // disputed: a review rejected the newest row that it cites
  "record_in_review", // disputed: the record is under integrity review
  "evidence_erased", // withdrawn
]);
export type CitationReason = z.infer<typeof CitationReason>;

const NewestCitation = z.looseObject({
  public_id: z.string(),
  citation_id: z.string(),
  citation_url: Uri,
  quote: z.string().describe("A sentence that is ready to quote."),
  as_of: Day,
});

export const Citation = z
  .looseObject({
    schema: z.literal(SCHEMA.citation),
    data_as_of: Timestamp.describe("Data time of the current release; `status` applies as of this time."),
    status: CitationStatus,
    reason: CitationReason.nullable().describe("Null when the citation is current."),
    status_note: z.string(),
    moved_to: z
      .string()
      .nullable()
      .describe(
        "Public id of the record that a review moved the cited observation to; null where it is still of the cited record. The reason is `newer_evidence` then.",
      ),
    citation: z
      .looseObject({
        citation_id: z.string(),
        citation_url: Uri,
        quote: z.string().describe("The citation as published, including its URL."),
        sentence_version: SentenceVersion.describe("Version of the citation wording; see the methodology."),
        public_id: z.string(),
        name: z.string(),
        record_url: Uri,
        as_of: Day.describe("Day (UTC) of the release that published the citation."),
        tree_size: z
          .int()
          .positive()
          .describe("Number of ledger rows in the signed tree behind that release."),
        checkpoint_url: Uri.describe("The signed tree head of that tree."),
        cited_row: z.int().positive().nullable().describe("The most recent accepted observation."),
        proof_url: Uri.nullable().describe("URL of the cited row's inclusion proof."),
        row_count: Count.describe("Number of accepted observations behind the citation."),
        rows: z
          .array(z.int().positive())
          .describe("Ledger rows of these observations, most recent first; at most 100."),
        row_ranges: RowRanges.describe(
          "All ledger rows of these observations, as ranges [first, last]; both ends included.",
        ),
        entity_row: z.int().positive().describe("Ledger row of the record."),
      })
      .nullable()
      .describe("Null when the citation is withdrawn."),
    newest: NewestCitation.nullable().describe(
      "The newest citation of the record, of the record it was merged into, or of the one that its cited observation was moved to; null when withdrawn.",
    ),
  })
  .meta({
    id: "Citation",
    description: "A published citation, the evidence behind it, and its status today.",
  });
export type Citation = z.infer<typeof Citation>;

/** Follows “Moved to ID.” */
export const CITATION_MOVED_TEXT =
  "A review found that the observation which this citation names is of that record, which now counts it. Quote the newest citation of that record instead.";

export const CITATION_STATUS_TEXT: Readonly<Record<"current" | CitationReason, string>> = {
  current: "The newest release still publishes this citation.",
  newer_evidence:
    "The accepted observations of this record, their states, what counts as independent, or the name of its city have changed since. Quote the newest citation instead.",
  record_merged:
    "This record was merged into another one, which now counts its observations. Quote the newest citation of that record instead.",
  cited_row_rejected:
    "A review has rejected the observation that this citation names. Do not quote it; the newest citation excludes that observation.",
  record_in_review:
    "The record is under integrity review. Its observations are listed, but their independence is in question.",
  evidence_erased:
    "Withdrawn. Evidence behind a citation with this id was erased, so the service neither shows nor confirms its wording.",
};
