import {
  CITATION_MOVED_TEXT,
  CITATION_STATUS_TEXT,
  Citation,
  type CitationParts,
  type CitationReason,
  type CitationStatus,
  citationCheck,
  citationId,
  parseCitationId,
  REVIEW_NOTICE,
} from "../../contract/citation/citation.ts";
import {
  type CitedMonths,
  CURRENT_PERIOD_SENTENCE,
  CURRENT_SENTENCE,
  type QuoteFacts,
  type SentenceVersion,
  sentenceOf,
} from "../../contract/citation/sentences.ts";
import { rowRanges } from "../../contract/ledger/ledger.ts";
import { CitationParams } from "../../contract/params.ts";
import { SERVICE, serviceName } from "../../contract/records/claim-boundary.ts";
import type { LastSeen } from "../../contract/records/entity.ts";
import { SCHEMA } from "../../contract/versions.ts";
import { cityDate, DAY_MS, isoDate, isoTime, monthSpan, solarSpan } from "../../kernel/time.ts";
import type { PastRecord, SealedTree } from "../../snapshot/queries/citation-queries.ts";
import type { Observed } from "../../snapshot/queries/observation-columns.ts";
import type { CitedEvidence, CityRow, RecordRow, ReleaseRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { defineResource, type PathValues } from "../define.ts";
import { checkpointUrl, citationUrl, proofUrl, recordUrl } from "../links.ts";
import { lastSeen } from "../records/record.ts";

/** A published citation, recomputed. */
export interface PastQuote {
  readonly quote: Quote;
  readonly subject: QuoteSubject;
  readonly past: PastRecord;
}

/**
 * Recomputes the citation of an id. Returns undefined when the service never published it, and `withdrawn` when that can no
 * longer be determined because a row that may have counted was erased.
 */
export function pastQuote(snapshot: Snapshot, parts: CitationParts): PastQuote | "withdrawn" | undefined {
  const tree = snapshot.sealedTree(parts.treeSize);
  if (tree === undefined || parts.row > tree.sealedRow || !wasReleased(snapshot, tree, parts.asOfDate))
    return undefined;
  const erasedBy = snapshot.erasedBy(parts.row);
  // Rows erased before that release were not part of its citations.
  if (erasedBy !== undefined) return erasedBy > tree.treeSize ? "withdrawn" : undefined;
  const root = snapshot.record(parts.publicId)?.mergedInto ?? parts.publicId;
  const holders = [root, ...snapshot.movedFrom(root)];
  const named = quotesOfRow(snapshot, parts, tree, holders);
  const own = named.find(({ quote }) => citationCheck(quote.sentence) === parts.check);
  if (own !== undefined) return own;
  const isShown = holders.some((holder) => snapshot.stateOfRow(parts.row, holder) !== undefined);
  const couldBeOurs = named.length > 0 || isShown;
  return couldBeOurs && snapshot.hasRedactions(tree) ? "withdrawn" : undefined;
}

/** Possible citations of releases with that tree and day whose newest row is the id's row. */
function quotesOfRow(
  snapshot: Snapshot,
  parts: CitationParts,
  tree: SealedTree,
  holders: readonly string[],
): readonly PastQuote[] {
  return cutOffs(snapshot, holders, parts.asOfDate).flatMap((observedBy) => {
    const observed = (lng: number) => (parts.period === null ? undefined : monthsObserved(parts.period, lng));
    const past = snapshot.pastRecord(parts.publicId, tree, { observedBy, observed });
    if (past === undefined) return [];
    const found = serviceNames(snapshot).map((service) => quoted(snapshot, parts, past, service));
    return found.filter(({ quote }) => (quote.row ?? 0) === parts.row);
  });
}

/**
 * A release of a tree follows its seal and precedes the next one, or the current release for the newest tree. The current
 * release may have an earlier day if the operator chose one.
 */
function wasReleased(snapshot: Snapshot, tree: SealedTree, asOfDate: string): boolean {
  const { sealedAt, nextSealAt } = tree;
  const { asOf, treeSize } = snapshot.release();
  if (treeSize === tree.treeSize && asOfDate === isoDate(asOf)) return true;
  const last = nextSealAt ?? asOf;
  return asOfDate >= isoDate(sealedAt) && asOfDate <= isoDate(last);
}

/**
 * Candidate end times of the observations (ms). The id has only the day, and a release excludes later observations; the
 * id's checksum selects the right one. Times are starts of the city's solar days, so there are at most two.
 */
function cutOffs(snapshot: Snapshot, holders: readonly string[], asOfDate: string): number[] {
  const start = Date.parse(asOfDate);
  const end = start + DAY_MS - 1;
  const times = holders.flatMap((holder) => snapshot.observationTimes(holder, start + 1, end));
  return [end, ...new Set(times.map((time) => time - 1))];
}

/** Names that a citation may have: today's, and the one from before the operator gave one. */
function serviceNames(snapshot: Snapshot): string[] {
  return [...new Set([serviceName(snapshot.release()), SERVICE])];
}

function quoted(
  snapshot: Snapshot,
  { publicId, treeSize, asOfDate, version, period }: CitationParts,
  past: PastRecord,
  service: string,
): PastQuote {
  const { baseUrl } = snapshot.release();
  const { name, isSynthetic, city, cited } = past;
  const subject = { publicId, name, isSynthetic, city, treeSize, asOfDate, baseUrl, service, period };
  return { quote: quoteOf(subject, cited, version), subject, past };
}

/** A citation of a record that is ready to quote. */
export interface Quote {
  readonly id: string;
  readonly url: string;
  readonly sentence: string; // citation without its URL
  readonly text: string; // what is offered for quoting: citation with its URL
  readonly row: number | null; // newest accepted observation
  readonly version: SentenceVersion;
}

/** Subject and release of a citation: everything that its wording depends on, except the evidence. */
export interface QuoteSubject {
  readonly publicId: string;
  readonly name: string;
  readonly isSynthetic: boolean;
  readonly city: { readonly name: string; readonly lng: number };
  readonly treeSize: number;
  readonly asOfDate: string; // YYYY-MM-DD, UTC
  readonly baseUrl: string;
  readonly service: string; // its name in the release of the citation
  readonly period: CitedMonths | null; // null: the record as a whole
}

/** Builds a citation, for every surface and any age. */
export function quoteOf(
  subject: QuoteSubject,
  cited: CitedEvidence,
  version: SentenceVersion = subject.period === null ? CURRENT_SENTENCE : CURRENT_PERIOD_SENTENCE,
): Quote {
  const { publicId, treeSize, asOfDate, baseUrl, period } = subject;
  const sentence = sentenceOf(version, quoteFacts(subject, cited));
  const row = cited.newest?.id ?? null;
  const check = citationCheck(sentence);
  const id = citationId({ publicId, row: row ?? 0, treeSize, asOfDate, version, period, check });
  const url = citationUrl(baseUrl, id);
  return { id, url, sentence, text: `${sentence} ${url}`, row, version };
}

/** Returns a record's citation in the current release, or that of months in which it was observed: `cited` is of these. */
export function recordQuote(
  record: Pick<RecordRow, "publicId" | "name" | "isSynthetic" | "standing">,
  city: Pick<CityRow, "name" | "lng">,
  release: ReleaseRow,
  cited: CitedEvidence,
  period: CitedMonths | null = null,
): Quote {
  const { publicId, name, isSynthetic } = record;
  const { treeSize, asOf, baseUrl } = release;
  const asOfDate = isoDate(asOf);
  const service = serviceName(release);
  const quote = quoteOf(
    { publicId, name, isSynthetic, city, treeSize, asOfDate, baseUrl, service, period },
    cited,
  );
  return { ...quote, text: offeredText(quote, record) };
}

/** The text that is offered for quoting: it says first that the record is under review. The address commits to the sentence only. */
function offeredText({ text }: Quote, { standing }: Pick<RecordRow, "standing">): string {
  return standing.gate.status === "integrity_review" ? `${REVIEW_NOTICE} ${text}` : text;
}

/** The time of whole months in a city at `lng` degrees. */
export function monthsObserved({ from, to }: CitedMonths, lng: number): Observed {
  return solarSpan({ first: monthSpan(from).first, last: monthSpan(to).last }, lng);
}

/** The newest citation of months of a record; undefined where it was not observed in them. */
export function periodQuote(
  snapshot: Snapshot,
  { record, city }: Shown,
  period: CitedMonths,
): Quote | undefined {
  const cited = snapshot.citedBetween(record.id, monthsObserved(period, city.lng));
  if (cited.newest === null) return undefined;
  return recordQuote(record, city, snapshot.release(), cited, period);
}

/** Facts of a citation, with times as the city's days. */
export function quoteFacts(subject: QuoteSubject, cited: CitedEvidence): QuoteFacts {
  const { name, city, isSynthetic, treeSize, asOfDate, service, period } = subject;
  const { accepted, counted, states, observers, first, last, newest } = cited;
  const dateOf = (ms: number) => cityDate(ms, city.lng);
  return {
    name,
    city: city.name,
    isSynthetic,
    accepted,
    counted,
    states,
    observers,
    firstDate: first === null ? null : dateOf(first),
    lastDate: last === null ? null : dateOf(last),
    newest: newest && {
      row: newest.id,
      kind: newest.kind,
      date: dateOf(newest.observedAt),
      state: newest.state,
    },
    treeSize,
    asOfDate,
    service,
    period,
  };
}

const MAX_ROWS = 100;

export const citation = defineResource({
  operationId: "getCitation",
  path: "/api/v1/citation/{id}",
  summary: "Get a published citation with its evidence and current status",
  description:
    "The service recomputes the citation from its id and the public ledger rows. Returns 404 for an id that is not a citation of this service. When evidence was erased, it returns only `withdrawn`, which confirms neither the id nor any wording.",
  pathParams: CitationParams.shape,
  query: {},
  wire: Citation,
  // `citation_id` of the example packet. It changes with the example world's rows and with the citation wording.
  example: { path: { id: "ex_bakery.128.141.2026-06-30.v1.xqvbvmq2" }, query: {} },
  errors: [400, 404],
  enumerate: newestCitations,
  load({ snapshot }, { id }) {
    const parts = parseCitationId(id);
    const found = parts && pastQuote(snapshot, parts);
    if (found === undefined) return undefined;
    const base = { schema: SCHEMA.citation, data_as_of: isoTime(snapshot.release().asOf) };
    if (found === "withdrawn")
      return {
        ...base,
        ...statusOf("withdrawn", "evidence_erased"),
        moved_to: null,
        citation: null,
        last_seen: null,
        newest: null,
      };
    const moved = movedTo(snapshot, found);
    const root = shownRecord(snapshot, moved ?? found.subject.publicId);
    if (root === undefined) return undefined;
    return {
      ...base,
      ...(moved === undefined ? holdsToday(snapshot, found, root) : movedStatus(moved)),
      moved_to: moved ?? null,
      citation: citationWire(found),
      last_seen: shownLastSeen(snapshot, root),
      newest: newestWire(snapshot, root, found.subject.period),
    };
  },
});

/** Returns the id of a record's newest citation; undefined where the release does not show the record. */
export function newestCitationId(snapshot: Snapshot, publicId: string): string | undefined {
  const shown = shownRecord(snapshot, publicId);
  return shown && newestOf(snapshot, shown).quote.id;
}

/** Returns the URL of a record's newest citation; for a merged record, that of the remaining one. */
export function newestCitationUrl(snapshot: Snapshot, publicId: string): string | undefined {
  const shown = shownRecord(snapshot, publicId);
  return shown && newestOf(snapshot, shown).quote.url;
}

/** When a record was last seen, as its newest citation says; null without an accepted observation. */
export function recordLastSeen(snapshot: Snapshot, publicId: string): LastSeen | null {
  const shown = shownRecord(snapshot, publicId);
  return shown === undefined ? null : shownLastSeen(snapshot, shown);
}

function shownLastSeen(snapshot: Snapshot, shown: Shown): LastSeen | null {
  const { record, city } = shown;
  return lastSeen(record, snapshot.assetsOf(record.id), city, newestOf(snapshot, shown).cited);
}

interface Shown {
  readonly record: RecordRow;
  readonly city: CityRow;
}

/** Newest citation of each record. */
function* newestCitations(snapshot: Snapshot): Iterable<PathValues> {
  for (const publicId of snapshot.publicIds()) {
    const shown = shownRecord(snapshot, publicId);
    if (shown !== undefined) yield { id: newestOf(snapshot, shown).quote.id };
  }
}

/** Returns the record that now counts a record's observations: itself or the one it was merged into. */
function shownRecord(snapshot: Snapshot, publicId: string): Shown | undefined {
  const own = snapshot.record(publicId);
  const record = own?.mergedInto == null ? own : snapshot.record(own.mergedInto);
  const city = record && snapshot.city(record.city);
  return city && { record, city };
}

interface Newest {
  readonly publicId: string;
  readonly quote: Quote;
  readonly cited: CitedEvidence;
}

/** The newest quote of the last record of each snapshot: the address of a citation, its document and its page need the same one in turn. */
const lastQuotes = new WeakMap<Snapshot, Newest>();

function newestOf(snapshot: Snapshot, { record, city }: Shown): Newest {
  const { publicId, id } = record;
  const last = lastQuotes.get(snapshot);
  if (last?.publicId === publicId) return last;
  const { cited } = snapshot.evidenceMix(id);
  const newest = { publicId, cited, quote: recordQuote(record, city, snapshot.release(), cited) };
  lastQuotes.set(snapshot, newest);
  return newest;
}

/** The record that has the cited row now, if it was moved there after that release. */
function movedTo(snapshot: Snapshot, { quote, subject }: PastQuote): string | undefined {
  const { sealedRow = 0 } = snapshot.sealedTree(subject.treeSize) ?? {};
  const moved = quote.row === null ? undefined : snapshot.movedTo(quote.row, sealedRow);
  return moved === subject.publicId ? undefined : moved;
}

function movedStatus(publicId: string) {
  const note = `Moved to ${publicId}. ${CITATION_MOVED_TEXT}`;
  return { ...statusOf("superseded", "newer_evidence"), status_note: note };
}

function holdsToday(snapshot: Snapshot, { quote, subject }: PastQuote, { record, city }: Shown) {
  const { row, sentence } = quote;
  if (row !== null && snapshot.stateOfRow(row, record.publicId) === "rejected")
    return statusOf("disputed", "cited_row_rejected");
  if (record.standing.gate.status === "integrity_review") return statusOf("disputed", "record_in_review");
  if (record.publicId !== subject.publicId) return statusOf("superseded", "record_merged");
  const { period } = subject;
  const cited =
    period === null
      ? snapshot.evidenceMix(record.id).cited
      : snapshot.citedBetween(record.id, monthsObserved(period, city.lng));
  const { name, isSynthetic } = record;
  const facts = quoteFacts({ ...subject, name, isSynthetic, city }, cited);
  return sentenceOf(quote.version, facts) === sentence
    ? statusOf("current", null)
    : statusOf("superseded", "newer_evidence");
}

function statusOf(status: CitationStatus, reason: CitationReason | null) {
  return { status, reason, status_note: CITATION_STATUS_TEXT[reason ?? "current"] };
}

function citationWire({ quote, subject, past }: PastQuote): NonNullable<Citation["citation"]> {
  const { publicId, name, treeSize, asOfDate, baseUrl, period } = subject;
  return {
    citation_id: quote.id,
    citation_url: quote.url,
    quote: quote.text,
    sentence_version: quote.version,
    public_id: publicId,
    name,
    period: period === null ? null : { ...period },
    record_url: recordUrl(baseUrl, publicId),
    as_of: asOfDate,
    tree_size: treeSize,
    checkpoint_url: checkpointUrl(baseUrl, treeSize),
    cited_row: quote.row,
    proof_url: quote.row === null ? null : proofUrl(baseUrl, quote.row),
    row_count: past.rows.length,
    rows: past.rows.slice(0, MAX_ROWS),
    row_ranges: rowRanges(past.rows.toSorted((a, b) => a - b)),
    entity_row: past.row,
  };
}

function newestWire(
  snapshot: Snapshot,
  shown: Shown,
  period: CitedMonths | null,
): NonNullable<Citation["newest"]> {
  const ofPeriod = period === null ? undefined : periodQuote(snapshot, shown, period);
  const { id, url, text } = ofPeriod ?? newestOf(snapshot, shown).quote;
  return {
    public_id: shown.record.publicId,
    citation_id: id,
    citation_url: url,
    quote: text,
    as_of: isoDate(snapshot.release().asOf),
  };
}
