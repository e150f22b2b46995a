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
  readonly sentence: string; // the words without the address
  readonly text: string; // the words with it
  readonly row: number | null; // newest accepted observation
  readonly version: SentenceVersion;
}

/** What a citation is about and from which release: all that its words are a function of, beside the evidence. */
export interface QuoteSubject {
  readonly publicId: string;
  readonly name: string;
  readonly isSynthetic: boolean;
  readonly city: { readonly name: string; readonly lng: number };
  readonly treeSize: number;
  readonly asOfDate: string; // YYYY-MM-DD, UTC
  readonly baseUrl: string;
}

/** The one way in which a citation is made, whichever surface it is for and however old it is. */
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

/** The citation of a record in the release that is read. */
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

/** The facts of a citation as its words need them: times as the city's days. */
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
