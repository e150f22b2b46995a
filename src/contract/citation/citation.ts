import { z } from "zod";
import { Count, Day, Timestamp, Uri } from "../fields.ts";
import { SCHEMA } from "../versions.ts";
import { SentenceVersion } from "./sentences.ts";

/** What holds of a citation in the newest release. */
export const CitationStatus = z.enum(["current", "superseded", "disputed", "withdrawn"]);
export type CitationStatus = z.infer<typeof CitationStatus>;

/** Why it is not, or not only, current; closed. */
export const CitationReason = z.enum([
  "newer_evidence", // superseded: accepted observations, their states or the name of the city have changed
  "record_merged", // superseded: the record went into another one
  "cited_row_rejected", // disputed: a review rejected the newest row that it cites
  "record_in_review", // disputed: the record is held for a review of its integrity
  "evidence_erased", // withdrawn
]);
export type CitationReason = z.infer<typeof CitationReason>;

const NewestCitation = z.looseObject({
  public_id: z.string(),
  citation_id: z.string(),
  citation_url: Uri,
  quote: z.string().describe("Ready to quote."),
  as_of: Day,
});

export const Citation = z
  .looseObject({
    schema: z.literal(SCHEMA.citation),
    data_as_of: Timestamp.describe("Of the release that answers: `status` holds as of then."),
    status: CitationStatus,
    reason: CitationReason.nullable().describe("Null while current."),
    status_note: z.string(),
    citation: z
      .looseObject({
        citation_id: z.string(),
        citation_url: Uri,
        quote: z.string().describe("The words as they were published, with their address."),
        sentence_version: SentenceVersion.describe("Version of the wording; see the methodology."),
        public_id: z.string(),
        name: z.string(),
        record_url: Uri,
        as_of: Day.describe("Day of the release that said it, UTC."),
        tree_size: z
          .int()
          .positive()
          .describe("Ledger rows of the signed tree on which that release rested."),
        checkpoint_url: Uri.describe("The signed head of that tree."),
        cited_row: z.int().positive().nullable().describe("The accepted observation that was observed last."),
        proof_url: Uri.nullable().describe("Inclusion proof of the cited row."),
        row_count: Count.describe("Accepted observations on which the quote rested."),
        rows: z.array(z.int().positive()).describe("Their ledger rows, observed last first; 100 at most."),
      })
      .nullable()
      .describe("Null when withdrawn: nothing is said of what was erased."),
    newest: NewestCitation.nullable().describe(
      "What the newest release says of the record, or of the one that it went into; null when withdrawn.",
    ),
  })
  .meta({
    id: "Citation",
    description: "A published citation, on what it rested, and what holds of it today.",
  });
export type Citation = z.infer<typeof Citation>;

export const CITATION_STATUS_TEXT: Readonly<Record<"current" | CitationReason, string>> = {
  current: "The newest release says the same of this record.",
  newer_evidence:
    "The accepted observations of this record, their states, or the name of its city have changed since. Quote the newest citation in its place.",
  record_merged:
    "This record was merged into another one, which counts its observations. Quote the newest citation of that record in its place.",
  cited_row_rejected:
    "A review has rejected the observation that this citation names. Do not quote it any more; the newest citation leaves that observation out.",
  record_in_review:
    "The record is held for a review of its integrity. Its observations are listed, and whether they are independent is in question.",
  evidence_erased:
    "Withdrawn. Evidence that an address like this one would rest on was erased, so the service neither shows nor confirms any words for it.",
};
