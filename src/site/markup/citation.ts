import {
  type Citation,
  MAX_PASTED_QUOTE,
  type Marked,
  type WordComparison,
} from "../../contract/citation/citation.ts";
import { html, type SafeHtml } from "../../render/html.ts";
import { count, number, utcDate } from "../../render/words/format.ts";
import { checkpointUrl, proofUrl, recordUrl } from "../../resources/links.ts";
import { CITED_ID, type CiteAnswer, cite, type Pasted, withoutUrl } from "../query/cite.ts";
import { argument, type PageInput } from "../query/query-page.ts";
import { RESULTS_ANCHOR } from "../query/search.ts";
import type { Site } from "../site.ts";
import { UsedFiles } from "../used-files.ts";
import { layout } from "./layout.ts";
import { namedText, scriptTag } from "./parts.ts";

/** The form and the answers of the pages that check quotes, and the page of one citation. */

/** Describes the pages of citations to search engines. */
export const ABOUT_CITATIONS =
  "Shows a citation as published, the evidence behind it, and its status: current, superseded, disputed or withdrawn.";

export function citeForm(input: PageInput): SafeHtml {
  return html`<form class="form" action="${cite.path + RESULTS_ANCHOR}" aria-label="Quote">
    <div>
      <label for="cite-quote">Quote, or its link</label>
      <textarea id="cite-quote" name="quote" rows="4" maxlength="${MAX_PASTED_QUOTE}" required>${argument(input, "quote")}</textarea>
    </div>
    <div class="do"><button type="submit" id="cite-show">Check the quote</button></div>
  </form>`;
}

export function citeAnswer(answer: CiteAnswer): SafeHtml {
  if (answer.kind === "nothing pasted") return NOTHING_PASTED;
  if (answer.kind === "citation") return citationAnswer(answer.citation, answer.pasted);
  return answer.kind === "no address" ? NO_ADDRESS : UNKNOWN;
}

const NOTHING_PASTED = html`<p class="soft">Each citation ends with its own link. Paste a citation with its link to see its words as published and its status today.</p>`;

const NO_ADDRESS = html`<h2 id="results" tabindex="-1" data-heading data-summary>Paste the whole quote, including its link</h2>
  <p>Without the link at its end, we cannot say whether we published these words.</p>`;

const UNKNOWN = html`<h2 id="results" tabindex="-1" data-heading data-summary>Not a citation of this service</h2>
  <p>We published no citation with this link. Check that the link is complete.</p>`;

/** The page of a record's newest citation. The server shows older ones on the page /cite/. */
export function citationDocument(site: Site, id: string): SafeHtml {
  const input = { path: {}, query: { [CITED_ID]: id } };
  const answer = cite.answer(site.context, input);
  const name = answer.kind === "citation" ? (answer.citation.citation?.name ?? "") : "";
  const files = new UsedFiles(site);
  const content = html`<h1>Citation of <bdi translate="no">${name}</bdi></h1>
  <p class="lead">See a citation as published, the evidence behind it, and its status today.</p>
  ${citeForm(input)}
  ${citeAnswer(answer)}
  ${scriptTag(files, "refine")}`;
  const title = `Citation of ${name}`;
  return layout(site, files, { title, description: ABOUT_CITATIONS, canonical: null }, content);
}

/** A citation as it was published, how a pasted quote differs from it, on what it rests, and the newest one of its record. */

const STATUS_WORDS: Readonly<Record<Citation["status"], string>> = {
  current: "Current",
  superseded: "Superseded",
  disputed: "Disputed",
  withdrawn: "Withdrawn",
};

export function citationAnswer(shown: Citation, pasted: Pasted | undefined): SafeHtml {
  const { status, status_note: note, citation, last_seen: lastSeen, newest } = shown;
  const isChanged = pasted?.words.kind === "differs";
  const isNewest = newest?.citation_id === citation?.citation_id;
  return html`<h2 id="results" tabindex="-1" data-heading data-summary>${isChanged ? "This differs from what we published" : STATUS_WORDS[status]}</h2>
  <p>${isChanged && `The citation itself: ${STATUS_WORDS[status].toLowerCase()}. `}${note}</p>
  ${pasted?.otherAddress !== undefined && wrongAddress(pasted.otherAddress)}
  ${lastSeen !== null && html`<p>${namedText(lastSeen.note, citation?.name ?? "")} Not seen does not mean gone.</p>`}
  ${citation !== null && publishedWords(citation, isNewest ? (newest?.quote ?? "") : citation.quote, pasted)}
  ${newest !== null && !isNewest && newestWords(newest)}`;
}

function wrongAddress(address: string): SafeHtml {
  return html`<div class="notice">
    <p><strong>The pasted link is not the link of this citation.</strong> It is <mark>${address}</mark>. The published link is below.</p>
  </div>`;
}

type PublishedCitation = NonNullable<Citation["citation"]>;

/** `quote`: as it is offered today where it is the newest one, so that it says when its record is under review. */
function publishedWords(citation: PublishedCitation, quote: string, pasted: Pasted | undefined): SafeHtml {
  return html`${pasted !== undefined && pastedWords(pasted.words)}
  <h3>As published</h3>
  <blockquote>${namedText(withoutUrl({ ...citation, quote }), citation.name)} <a href="/cite/${citation.citation_id}/">${citation.citation_url}</a></blockquote>
  ${basis(citation)}`;
}

function newestWords(newest: NonNullable<Citation["newest"]>): SafeHtml {
  return html`<h3>To quote today, as of ${utcDate(newest.as_of)}</h3>
  <blockquote>${newest.quote.replace(newest.citation_url, "")}<a href="/cite/${newest.citation_id}/">${newest.citation_url}</a></blockquote>`;
}

/** How pasted words compare with the published ones. */
function pastedWords(words: WordComparison): SafeHtml | undefined {
  if (words.kind === "address_only") return undefined;
  if (words.kind === "same") return html`<p>The pasted words are what we published.</p>`;
  if (words.kind === "more_around")
    return html`<p>The pasted text contains what we published. The words around it are not ours.</p>`;
  return html`<div class="notice">
    <p><strong>The pasted words differ from what we published.</strong> The difference is marked.</p>
    ${markedWords("Pasted", words.pasted)}${markedWords("Published", words.published)}
  </div>`;
}

function markedWords(label: string, [before, differing, after]: Marked): SafeHtml {
  return html`<p>${label}: <bdi>${before} <mark>${differing || "(nothing)"}</mark> ${after}</bdi></p>`;
}

const MAX_ROWS = 12;

/** What a citation rests on. */
function basis(citation: PublishedCitation): SafeHtml {
  const { cited_row: citedRow, tree_size: treeSize } = citation;
  return html`<h3>Evidence behind it</h3>
  <ul>
    <li>Record: <a href="${recordUrl("", citation.public_id)}"><bdi translate="no">${citation.name}</bdi></a></li>
    <li>Release of ${utcDate(citation.as_of)} (UTC), on the <a href="${checkpointUrl("", treeSize)}">signed tree of ${count(treeSize, "row", "rows")}</a></li>
    ${citedRow !== null && html`<li>Newest accepted observation: ledger row ${citedRow} (<a href="${proofUrl("", citedRow)}">proof</a>)</li>`}
    <li>${rowsText(citation)}</li>
    <li>Wording: version ${citation.sentence_version} (<a href="/methodology/#wording-of-citations">versions</a>)</li>
    <li><a href="/api/v1/citation/${citation.citation_id}">This answer as JSON</a></li>
  </ul>`;
}

function rowsText({ rows, row_count: rowCount }: PublishedCitation): string {
  if (rowCount === 0) return "No accepted observation was published. That says nothing about the business.";
  const shown = rows.slice(0, MAX_ROWS);
  const more = rowCount - shown.length;
  return `${count(rowCount, "accepted observation", "accepted observations")}, newest first: ledger ${rowCount === 1 ? "row" : "rows"} ${shown.join(", ")}${more > 0 ? ` and ${number(more)} more` : ""}`;
}
