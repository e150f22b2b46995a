import { type CitationParts, citationCheck, citationId } from "../../contract/citation/citation.ts";
import {
  CURRENT_SENTENCE,
  type QuoteFacts,
  type SentenceVersion,
  sentenceOf,
} from "../../contract/citation/sentences.ts";
import { cityDate, DAY_MS, isoDate } from "../../kernel/time.ts";
import type { PastRecord, SealedTree } from "../../snapshot/queries/citation-queries.ts";
import type { CitedEvidence, CityRow, RecordRow, ReleaseRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { citationUrl } from "../links.ts";

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
    const past = snapshot.pastRecord(parts.publicId, tree, observedBy);
    const found = past && quoted(snapshot, parts, past);
    return (found?.quote.row ?? 0) === parts.row && found !== undefined ? [found] : [];
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

function quoted(
  snapshot: Snapshot,
  { publicId, treeSize, asOfDate, version }: CitationParts,
  past: PastRecord,
): PastQuote {
  const { baseUrl } = snapshot.release();
  const { name, isSynthetic, city, cited } = past;
  const subject = { publicId, name, isSynthetic, city, treeSize, asOfDate, baseUrl };
  return { quote: quoteOf(subject, cited, version), subject, past };
}

/** A citation of a record that is ready to quote. */
export interface Quote {
  readonly id: string;
  readonly url: string;
  readonly sentence: string; // citation without its URL
  readonly text: string; // citation with its URL
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
}

/** Builds a citation, for every surface and any age. */
export function quoteOf(
  subject: QuoteSubject,
  cited: CitedEvidence,
  version: SentenceVersion = CURRENT_SENTENCE,
): Quote {
  const { publicId, treeSize, asOfDate, baseUrl } = subject;
  const sentence = sentenceOf(version, quoteFacts(subject, cited));
  const row = cited.newest?.id ?? null;
  const check = citationCheck(sentence);
  const id = citationId({ publicId, row: row ?? 0, treeSize, asOfDate, version, check });
  const url = citationUrl(baseUrl, id);
  return { id, url, sentence, text: `${sentence} ${url}`, row, version };
}

/** Returns a record's citation in the current release. */
export function recordQuote(
  record: Pick<RecordRow, "publicId" | "name" | "isSynthetic">,
  city: Pick<CityRow, "name" | "lng">,
  release: ReleaseRow,
  cited: CitedEvidence,
): Quote {
  const { publicId, name, isSynthetic } = record;
  const { treeSize, asOf, baseUrl } = release;
  const asOfDate = isoDate(asOf);
  return quoteOf({ publicId, name, isSynthetic, city, treeSize, asOfDate, baseUrl }, cited);
}

/** Facts of a citation, with times as the city's days. */
export function quoteFacts(subject: QuoteSubject, cited: CitedEvidence): QuoteFacts {
  const { name, city, isSynthetic, treeSize, asOfDate } = subject;
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
  };
}
