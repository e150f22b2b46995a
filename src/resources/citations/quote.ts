import { citationCheck, citationId } from "../../contract/citation/citation-id.ts";
import type { QuoteFacts } from "../../contract/citation/quote-facts.ts";
import { CURRENT_SENTENCE, type SentenceVersion, sentenceOf } from "../../contract/citation/sentences.ts";
import { cityDate, isoDate } from "../../kernel/time.ts";
import type { CitedEvidence, CityRow, RecordRow, ReleaseRow } from "../../snapshot/rows.ts";
import { citationUrl } from "../links.ts";

/** A citation of a record, ready to quote. */
export interface Quote {
  readonly id: string;
  readonly url: string;
  readonly sentence: string; // without the URL
  readonly text: string; // with the URL
  readonly row: number | null; // newest accepted observation
  readonly version: SentenceVersion;
}

/** The subject and release of a citation. Its text depends on these and the evidence only. */
export interface QuoteSubject {
  readonly publicId: string;
  readonly name: string;
  readonly isSynthetic: boolean;
  readonly city: { readonly name: string; readonly lng: number };
  readonly treeSize: number;
  readonly asOfDate: string; // YYYY-MM-DD, UTC
  readonly baseUrl: string;
}

/** Makes a citation, for every surface and every age. */
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

/** The citation of a record in the current release. */
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

/** The facts that a citation's text states; times are days of the city. */
export function quoteFacts(subject: QuoteSubject, cited: CitedEvidence): QuoteFacts {
  const { name, city, isSynthetic, treeSize, asOfDate } = subject;
  const { accepted, states, observers, first, last, newest } = cited;
  const dateOf = (ms: number) => cityDate(ms, city.lng);
  return {
    name,
    city: city.name,
    isSynthetic,
    accepted,
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
