import type { Citation } from "../contract/citation/citation.ts";
import { parseCitationId } from "../contract/citation/citation-id.ts";
import {
  citationIdIn,
  comparePasted,
  MAX_PASTED_QUOTE,
  type Marked,
  otherAddressIn,
  type WordComparison,
} from "../contract/citation/pasted-quote.ts";
import { PublicError } from "../kernel/errors.ts";
import { html, type SafeHtml } from "../render/html.ts";
import { count, number } from "../render/words/format.ts";
import { citation as citationResource } from "../resources/citations/citation.ts";
import type { ReadContext } from "../resources/define.ts";
import { checkpointUrl, proofUrl, recordUrl } from "../resources/links.ts";
import { type Asked, given, pagePath, type View } from "./view.ts";

/** What holds of a citation: of the one that the page's address names, or of a quote that somebody pastes. */

const ANCHOR = "#results";

export const cite: View = {
  name: "cite",
  operation: "citation_page",
  path: "/cite/",
  parameters: ["quote"],
  isSlow: false,
  form,
  results,
};

/** The argument that pages of citations fix: the id. No address has it as a parameter. */
export const CITED_ID = "id";

const PAGE = /^\/cite\/([^/]+)\/$/;

/** The id in the address of a citation's page; undefined for an address that no citation can have. */
export function citedIn(pathname: string): string | undefined {
  const id = PAGE.exec(pathname)?.[1];
  return id !== undefined && parseCitationId(id) !== undefined ? id : undefined;
}

function form(_context: ReadContext, asked: Asked): SafeHtml {
  return html`<form class="form" action="${pagePath(cite, asked.path)}${ANCHOR}" aria-label="Quote">
    <div>
      <label for="cite-quote">Quote or address of a citation</label>
      <textarea id="cite-quote" name="quote" rows="4" maxlength="${MAX_PASTED_QUOTE}" required>${given(asked, "quote")}</textarea>
    </div>
    <div class="do"><button type="submit" id="cite-show">Check the quote</button></div>
  </form>`;
}

function results(context: ReadContext, asked: Asked): SafeHtml {
  const id = given(asked, CITED_ID);
  if (id !== undefined) return citationOf(context, id);
  const quote = given(asked, "quote");
  if (quote === undefined) return html`<p class="soft">${INTRODUCTION}</p>`;
  if (quote.length > MAX_PASTED_QUOTE)
    throw new PublicError(400, `the quote must be at most ${number(MAX_PASTED_QUOTE)} characters long`);
  return pastedQuote(context, quote);
}

const INTRODUCTION =
  "Each citation of this service ends with an address of its own. Paste a citation with its address: the answer shows the words as they were published, and what holds today.";

const UNKNOWN = "This address leads to no citation of this service. Nothing follows from it.";

function citationOf(context: ReadContext, id: string): SafeHtml {
  const found = resolved(context, id);
  if (found === undefined) throw new PublicError(404, "this address leads to no citation of this service");
  return answer(found);
}

function pastedQuote(context: ReadContext, quote: string): SafeHtml {
  const id = citationIdIn(quote);
  if (id === undefined)
    return html`${heading("No address of a citation")}
      <p>The text holds no address of a citation of this service, so the service cannot say whether it published these words. Paste the whole citation, with the address at its end.</p>`;
  const found = resolved(context, id);
  if (found === undefined) return html`${heading("Not a citation of this service")}<p>${UNKNOWN}</p>`;
  if (found.citation === null) return answer(found);
  return answer(found, {
    words: comparePasted(quote, withoutUrl(found.citation), id),
    otherAddress: otherAddressIn(quote, id, found.citation.citation_url),
  });
}

function resolved(context: ReadContext, id: string): Citation | undefined {
  try {
    return citationResource.read(context, { id }, {});
  } catch (error) {
    if (error instanceof PublicError && error.status === 404) return undefined;
    throw error;
  }
}

const STATUS_WORDS: Readonly<Record<Citation["status"], string>> = {
  current: "Current",
  superseded: "Superseded",
  disputed: "Disputed",
  withdrawn: "Withdrawn",
};

function heading(text: string): SafeHtml {
  return html`<h2 id="results" tabindex="-1" data-heading data-summary>${text}</h2>`;
}

/** How a pasted quote compares with the citation that it names. */
interface Pasted {
  readonly words: WordComparison;
  /** What stands in place of the citation's address; undefined when that stands there. */
  readonly otherAddress: string | undefined;
}

function answer({ status, status_note, citation, newest }: Citation, pasted?: Pasted): SafeHtml {
  const words = pasted?.words;
  const isNewest = citation?.citation_id === newest?.citation_id;
  const isChanged = words?.kind === "differs";
  return html`${heading(isChanged ? "Not the words of the citation" : STATUS_WORDS[status])}
    <p>${isChanged && `The citation with this id is ${status}. `}${status_note}</p>
    ${pasted?.otherAddress !== undefined && otherAddress(pasted.otherAddress)}
    ${citation !== null && wordsOf(citation, words)}
    ${citation !== null && basis(citation)}
    ${newest !== null && !isNewest && newestQuote(newest)}`;
}

function wordsOf(citation: NonNullable<Citation["citation"]>, words: WordComparison | undefined): SafeHtml {
  return html`${words && comparison(words)}
    <h3>As published</h3>
    <blockquote>${named(withoutUrl(citation), citation.name)} <a href="${pathOf(citation)}">${citation.citation_url}</a></blockquote>`;
}

function otherAddress(address: string): SafeHtml {
  return html`<div class="notice">
    <p><strong>The pasted address is not the address of this citation.</strong> It is <mark>${address}</mark>. The published address is below.</p>
  </div>`;
}

function comparison(words: WordComparison): SafeHtml | undefined {
  if (words.kind === "address_only") return undefined;
  if (words.kind === "same") return html`<p>The pasted words are those that this service published.</p>`;
  if (words.kind === "more_around")
    return html`<p>The pasted text holds the words that this service published. The words around them are not from this service.</p>`;
  return html`<div class="notice">
    <p><strong>The pasted words differ from those that this service published.</strong> The differing part is marked.</p>
    <p>Pasted: ${parts(words.pasted)}</p>
    <p>Published: ${parts(words.published)}</p>
  </div>`;
}

function parts([before, differing, after]: Marked): SafeHtml {
  return html`<bdi>${before} <mark>${differing === "" ? "(nothing)" : differing}</mark> ${after}</bdi>`;
}

const SHOWN_ROWS = 12;

function basis(citation: NonNullable<Citation["citation"]>): SafeHtml {
  const { citation_id, public_id, name, as_of, tree_size, cited_row, sentence_version } = citation;
  return html`<h3>What it rests on</h3>
    <ul>
      <li>Record: <a href="${recordUrl("", public_id)}"><bdi translate="no">${name}</bdi></a></li>
      <li>Release of ${as_of} (UTC), on the <a href="${checkpointUrl("", tree_size)}">signed tree of ${count(tree_size, "row", "rows")}</a></li>
      ${cited_row !== null && html`<li>Newest accepted observation: ledger row ${cited_row} (<a href="${proofUrl("", cited_row)}">proof</a>)</li>`}
      <li>${rowsText(citation)}</li>
      <li>Wording: version ${sentence_version} (<a href="/methodology/#wording-of-citations">versions</a>)</li>
      <li><a href="/api/v1/citation/${citation_id}">This answer as JSON</a></li>
    </ul>`;
}

function rowsText({ rows, row_count }: NonNullable<Citation["citation"]>): string {
  if (row_count === 0) return "No accepted observation was published, which proves nothing about the record.";
  const shown = rows.slice(0, SHOWN_ROWS);
  const more = row_count - shown.length;
  return `${count(row_count, "accepted observation", "accepted observations")}, newest first: ledger ${row_count === 1 ? "row" : "rows"} ${shown.join(", ")}${more > 0 ? ` and ${number(more)} more` : ""}`;
}

function newestQuote({ citation_id, quote, citation_url, as_of }: NonNullable<Citation["newest"]>): SafeHtml {
  return html`<h3>Newest citation, as of ${as_of}</h3>
    <blockquote>${quote.replace(citation_url, "")}<a href="${pathOf({ citation_id })}">${citation_url}</a></blockquote>`;
}

function withoutUrl({
  quote,
  citation_url,
}: {
  readonly quote: string;
  readonly citation_url: string;
}): string {
  return quote.slice(0, quote.length - citation_url.length).trim();
}

function pathOf({ citation_id }: { readonly citation_id: string }): string {
  return `/cite/${citation_id}/`;
}

/** A name may be written from right to left; isolated, it leaves the sentence around it in order. */
function named(text: string, name: string): SafeHtml {
  const [before = "", ...after] = name === "" ? [text] : text.split(name);
  return html`${before}${after.map((part) => html`<bdi translate="no">${name}</bdi>${part}`)}`;
}
