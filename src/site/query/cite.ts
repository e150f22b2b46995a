/** Checks the citation named in the address, or a pasted quote. */

import {
  type Citation,
  citationIdIn,
  comparePasted,
  MAX_PASTED_QUOTE,
  otherAddressIn,
  parseCitationId,
  type WordComparison,
} from "../../contract/citation/citation.ts";
import { PublicError } from "../../kernel/errors.ts";
import { number } from "../../render/words/format.ts";
import { citation as citationResource } from "../../resources/citations/citation.ts";
import type { ReadContext } from "../../resources/define.ts";
import { argument, defineQueryPage, type PageInput, type PageState } from "./query-page.ts";

/** How a pasted quote compares with the citation that it names. */
export interface Pasted {
  readonly words: WordComparison;
  /** What stands in place of the citation's address; undefined when that stands there. */
  readonly otherAddress: string | undefined;
}

export type CiteAnswer =
  | { readonly kind: "nothing pasted" | "no address" | "unknown" }
  | { readonly kind: "citation"; readonly citation: Citation; readonly pasted?: Pasted };

/** The argument that pages of citations fix: the id. No address has it as a parameter. */
export const CITED_ID = "id";

export const cite = defineQueryPage({
  name: "cite",
  operation: "citation_page",
  path: "/cite/",
  parameters: ["quote"],
  answer,
  place: (shown: PageState<CiteAnswer>) => ({ cite: shown }),
});

const PAGE = /^\/cite\/([^/]+)\/$/;

/** The id in the address of a citation's page; undefined for an address that no citation can have. */
export function citedIn(pathname: string): string | undefined {
  const id = PAGE.exec(pathname)?.[1];
  return id !== undefined && parseCitationId(id) !== undefined ? id : undefined;
}

function answer(context: ReadContext, input: PageInput): CiteAnswer {
  const id = argument(input, CITED_ID);
  if (id !== undefined) return citationOf(context, id);
  const quote = argument(input, "quote");
  if (quote === undefined) return { kind: "nothing pasted" };
  if (quote.length > MAX_PASTED_QUOTE)
    throw new PublicError(400, `the quote must be at most ${number(MAX_PASTED_QUOTE)} characters long`);
  return pastedQuote(context, quote);
}

function citationOf(context: ReadContext, id: string): CiteAnswer {
  const citation = findCitation(context, id);
  if (citation === undefined) throw new PublicError(404, "this address leads to no citation of this service");
  return { kind: "citation", citation };
}

function pastedQuote(context: ReadContext, quote: string): CiteAnswer {
  const id = citationIdIn(quote);
  if (id === undefined) return { kind: "no address" };
  const found = findCitation(context, id);
  if (found === undefined) return { kind: "unknown" };
  const { citation } = found;
  if (citation === null) return { kind: "citation", citation: found };
  const words = comparePasted(quote, withoutUrl(citation), id);
  const otherAddress = otherAddressIn(quote, id, citation.citation_url);
  return { kind: "citation", citation: found, pasted: { words, otherAddress } };
}

function findCitation(context: ReadContext, id: string): Citation | undefined {
  try {
    return citationResource.read(context, { id }, {});
  } catch (error) {
    if (error instanceof PublicError && error.status === 404) return undefined;
    throw error;
  }
}

/** The words of a quote, without the address at its end. */
export function withoutUrl({
  quote,
  citation_url,
}: {
  readonly quote: string;
  readonly citation_url: string;
}): string {
  return quote.slice(0, quote.length - citation_url.length).trim();
}
