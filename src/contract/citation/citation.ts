import { z } from "zod";
import { sha256 } from "../../kernel/hash.ts";
import { base32 } from "../../kernel/ids.ts";
import { DAY_MS, isoMonth } from "../../kernel/time.ts";
import { Count, Day, Month, Timestamp, Uri } from "../fields.ts";
import { RowRanges } from "../ledger/ledger.ts";
import { LastSeen } from "../records/entity.ts";
import { SCHEMA } from "../versions.ts";
import { type CitedMonths, CURRENT_PERIOD_SENTENCE, SentenceVersion } from "./sentences.ts";

/**
 * Identifier of a citation: `<public id>.<row>.<tree size>.<as-of day>.<sentence version>.<check>`, for example
 * `demo_abc.1234.16690.2026-11-20.v1.4g7t0mxw`. The wording follows from these parts and the public ledger rows. Version 2 is
 * about whole months, which stand before the check: `demo_abc.1101.16690.2026-11-20.v2.2026-03_2026-05.4g7t0mxw`.
 */
export interface CitationParts {
  readonly publicId: string;
  readonly row: number; // newest accepted observation; 0 when the record has none
  readonly treeSize: number;
  readonly asOfDate: string; // YYYY-MM-DD, UTC
  readonly version: SentenceVersion;
  readonly period: CitedMonths | null; // of version 2
  readonly check: string; // see `citationCheck`
}

const MAX_CITATION_ID = 160;

const COUNT = String.raw`[1-9]\d{0,14}`;
const ID = new RegExp(
  String.raw`^([A-Za-z0-9_-]{1,80})\.(0|${COUNT})\.(${COUNT})\.(\d{4}-\d{2}-\d{2})\.(v\d{1,3})(?:\.(\d{4}-\d{2})_(\d{4}-\d{2}))?\.([0-9a-z]{8})$`,
);

export function citationId(parts: CitationParts): string {
  const { publicId, row, treeSize, asOfDate, version, period, check } = parts;
  const months = period === null ? [] : [`${period.from}_${period.to}`];
  return [publicId, row, treeSize, asOfDate, version, ...months, check].join(".");
}

/** Parses an id. Returns undefined for any text that `citationId` would not have produced exactly. */
export function parseCitationId(text: string): CitationParts | undefined {
  if (text.length > MAX_CITATION_ID) return undefined;
  const [, publicId = "", row, treeSize, asOfDate, version, from, to, check = ""] = ID.exec(text) ?? [];
  const day = z.iso.date().safeParse(asOfDate);
  const known = SentenceVersion.safeParse(version);
  if (!day.success || !known.success) return undefined;
  const period = from === undefined || to === undefined ? null : { from, to };
  const parts = { publicId, row: Number(row), treeSize: Number(treeSize), asOfDate: day.data, period, check };
  return isPeriodOf(parts, known.data) ? { ...parts, version: known.data } : undefined;
}

/** Months have an observation, and none of them begins after the release: the city's day may be one ahead of the UTC day. */
function isPeriodOf(
  { period, row, asOfDate }: Omit<CitationParts, "version">,
  version: SentenceVersion,
): boolean {
  if (period === null) return version !== CURRENT_PERIOD_SENTENCE;
  const isMonths = Month.safeParse(period.from).success && Month.safeParse(period.to).success;
  const last = isoMonth(Date.parse(asOfDate) / DAY_MS + 1);
  return (
    version === CURRENT_PERIOD_SENTENCE &&
    row > 0 &&
    isMonths &&
    period.from <= period.to &&
    period.to <= last
  );
}

/** 40 bits of the SHA-256 of the wording, so an id never resolves to a different wording. */
export function citationCheck(sentence: string): string {
  return base32(sha256(sentence).subarray(0, 5));
}

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
        period: z
          .looseObject({ from: Month, to: Month })
          .nullable()
          .describe(
            "Months that the citation is about, both included, in the city's solar time; all counts and rows are of these. Null where it is about the record as a whole.",
          ),
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
    last_seen: LastSeen.nullable().describe(
      "When the record of the newest citation was last seen; null without an accepted observation and when withdrawn.",
    ),
    newest: NewestCitation.nullable().describe(
      "The newest citation of the record, of the record it was merged into, or of the one that its cited observation was moved to: of the same months where the citation is about months in which that record was observed. Null when withdrawn.",
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
    "The record is under review: the independence of its observations is in question. If you quote it, say so.",
  evidence_erased:
    "Withdrawn. Evidence behind a citation with this id was erased, so the service neither shows nor confirms its wording.",
};

/** Compares pasted quotes, with or without the URL at the end, with published citations. */

/** Stands before the citation of a record under review, wherever it is offered. */
export const REVIEW_NOTICE =
  "Under review: the independence of the observations behind this citation is in question.";

export const MAX_PASTED_QUOTE = 2000; // characters

// Matches an id anywhere in a text. Every part is bounded, so the match takes time linear in the text.
const ID_LIKE =
  /[\w-]{1,80}\.\d{1,15}\.\d{1,15}\.\d{4}-\d{2}-\d{2}\.v\d{1,3}\.(?:\d{4}-\d{2}_\d{4}-\d{2}\.)?[0-9a-z]{8}(?![0-9a-z])/g;

/** Returns the first citation id in a text, or undefined. */
export function citationIdIn(text: string): string | undefined {
  return text.match(ID_LIKE)?.find((id) => parseCitationId(id) !== undefined);
}

/** Returns the word that contains the id, unless it is the bare id or a citation URL of this site. */
export function otherAddressIn(text: string, id: string, citationUrl: string): string | undefined {
  const site = citationUrl.slice(0, citationUrl.lastIndexOf(`/cite/${id}`));
  const own = [`/cite/${id}`, `/api/v1/citation/${id}`].map((path) => hostAndPath(site + path));
  const words = text.split(/\s+/).filter((word) => word.includes(id));
  return words.map(bare).find((word) => word !== id && !own.includes(hostAndPath(word)));
}

/** Strips the brackets and punctuation that often surround a URL. */
function bare(word: string): string {
  return word.replace(/^[^\w]+/, "").replace(/[^\w/]+$/, "");
}

function hostAndPath(url: string): string {
  return url
    .replace(/^https?:\/\//i, "")
    .replace(/#results$/, "")
    .replace(/\/$/, "");
}

/** A text in three parts; only the middle part differs from the other text. */
export type Marked = readonly [before: string, differing: string, after: string];

export type WordComparison =
  | { readonly kind: "address_only" } // only the URL was pasted
  | { readonly kind: "same" }
  | { readonly kind: "more_around" } // the citation with other text around it
  | { readonly kind: "differs"; readonly pasted: Marked; readonly published: Marked };

/** Compares a pasted text with the citation it names. Ignores URLs, quotation mark shapes and white space. */
export function comparePasted(pasted: string, sentence: string, id: string): WordComparison {
  const theirs = withoutNotice(plain(withoutAddress(pasted, id)));
  const ours = plain(sentence);
  if (theirs === "") return { kind: "address_only" };
  if (theirs === ours) return { kind: "same" };
  if (theirs.includes(ours)) return { kind: "more_around" };
  const [theirWords, ourWords] = [theirs.split(" "), ours.split(" ")];
  const before = commonLength(theirWords, ourWords);
  const after = commonLength(theirWords.slice(before).reverse(), ourWords.slice(before).reverse());
  return {
    kind: "differs",
    pasted: marked(theirWords, before, after),
    published: marked(ourWords, before, after),
  };
}

/** Removes the URL and the brackets around it. Text attached without a space stays. */
function withoutAddress(text: string, id: string): string {
  return text
    .split(/\s+/)
    .map((word) => (word.includes(id) ? besideAddress(word, id) : word))
    .join(" ");
}

function besideAddress(word: string, id: string): string {
  const before = word.slice(0, word.indexOf(id));
  const scheme = /https?:\/\//.exec(before);
  return (scheme === null ? before : before.slice(0, scheme.index)).replace(/[([<]+$/, "");
}

/** The service puts the notice before the citation, so it is no other text around it. */
function withoutNotice(text: string): string {
  return text.startsWith(REVIEW_NOTICE) ? text.slice(REVIEW_NOTICE.length).trimStart() : text;
}

function plain(text: string): string {
  return text
    .normalize("NFC")
    .replace(/[\u201c\u201d\u201e\u00ab\u00bb]/g, '"')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u200b-\u200f\u2060\ufeff]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((word, index) => word !== b[index]);
  return at < 0 ? a.length : at;
}

function marked(words: readonly string[], before: number, after: number): Marked {
  const end = words.length - after;
  const part = (from: number, to: number) => words.slice(from, to).join(" ");
  return [part(0, before), part(before, end), part(end, words.length)];
}
