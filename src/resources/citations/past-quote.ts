import { type CitationParts, citationCheck } from "../../contract/citation/citation-id.ts";
import { DAY_MS, isoDate } from "../../kernel/time.ts";
import type { PastRecord, SealedTree } from "../../snapshot/queries/citation-queries.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { type Quote, type QuoteSubject, quoteOf } from "./quote.ts";

/** A citation as it was published, computed again. */
export interface PastQuote {
  readonly quote: Quote;
  readonly subject: QuoteSubject;
  readonly past: PastRecord;
}

/**
 * The citation that an id names. Undefined for an id that leads to nothing the service has said; `withdrawn` where that cannot be told
 * any more, because a row that may have counted was erased since.
 */
export function pastQuote(snapshot: Snapshot, parts: CitationParts): PastQuote | "withdrawn" | undefined {
  const tree = snapshot.sealedTree(parts.treeSize);
  if (tree === undefined || parts.row > tree.sealedRow || !wasReleased(snapshot, tree, parts.asOfDate))
    return undefined;
  const erasedBy = snapshot.erasedBy(parts.row);
  // Rows erased before that release were in none of its citations.
  if (erasedBy !== undefined) return erasedBy > tree.treeSize ? "withdrawn" : undefined;
  const root = snapshot.record(parts.publicId)?.mergedInto ?? parts.publicId;
  const named = quotesOfRow(snapshot, parts, tree, root);
  const own = named.find(({ quote }) => citationCheck(quote.sentence) === parts.check);
  if (own !== undefined) return own;
  const couldBeOurs = named.length > 0 || snapshot.stateOfRow(parts.row, root) !== undefined;
  return couldBeOurs && snapshot.hasRedactions(tree) ? "withdrawn" : undefined;
}

/** What releases of that tree and day can have said with the id's row as the newest one. */
function quotesOfRow(
  snapshot: Snapshot,
  parts: CitationParts,
  tree: SealedTree,
  root: string,
): readonly PastQuote[] {
  return cutOffs(snapshot, root, parts.asOfDate).flatMap((observedBy) => {
    const past = snapshot.pastRecord(parts.publicId, tree, observedBy);
    const found = past && quoted(snapshot, parts, past);
    return (found?.quote.row ?? 0) === parts.row && found !== undefined ? [found] : [];
  });
}

/**
 * A release of a tree comes after its seal, and not after the next one; the newest not after the release that is read. That one
 * itself may speak of a day before its seal, where the operator chose it.
 */
function wasReleased(snapshot: Snapshot, tree: SealedTree, asOfDate: string): boolean {
  const { sealedAt, nextSealAt } = tree;
  const { asOf, treeSize } = snapshot.release();
  if (treeSize === tree.treeSize && asOfDate === isoDate(asOf)) return true;
  const last = nextSealAt ?? asOf;
  return asOfDate >= isoDate(sealedAt) && asOfDate <= isoDate(last);
}

/**
 * Until when the observations may have been made (ms). The id has the day alone, and a release leaves out what is observed after its
 * own instant; the check of the id tells which of these it was. Times are cut to the hour, so that there are 25 at most.
 */
function cutOffs(snapshot: Snapshot, publicId: string, asOfDate: string): number[] {
  const start = Date.parse(asOfDate);
  const end = start + DAY_MS - 1;
  return [end, ...snapshot.observationTimes(publicId, start + 1, end).map((time) => time - 1)];
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
