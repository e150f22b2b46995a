import { citationCheck, citationId } from "../../contract/citation/citation-id.ts";
import type { QuoteFacts } from "../../contract/citation/quote-facts.ts";
import { CURRENT_SENTENCE, type SentenceVersion, sentenceOf } from "../../contract/citation/sentences.ts";
import { cityDate, isoDate } from "../../kernel/time.ts";
import type { CitedEvidence, CityRow, RecordRow, ReleaseRow } from "../../snapshot/rows.ts";
import { citationUrl } from "../links.ts";

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
