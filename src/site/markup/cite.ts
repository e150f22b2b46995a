/** The form and the answers of the pages that check quotes, and the page of one citation. */

import { MAX_PASTED_QUOTE } from "../../contract/citation/pasted-quote.ts";
import { html, type SafeHtml } from "../../render/html.ts";
import { citationFacts } from "../pages/cite.ts";
import { CITED_ID, type CiteAnswer, cite } from "../query/cite.ts";
import { argument, type PageInput } from "../query/query-page.ts";
import { RESULTS_ANCHOR } from "../query/search.ts";
import type { Site } from "../site.ts";
import { UsedFiles } from "../used-files.ts";
import { citationAnswer } from "./citation-answer.ts";
import { layout } from "./layout.ts";
import { scriptTag } from "./script-tag.ts";

export function citeForm(input: PageInput): SafeHtml {
  return html`<form class="form" action="${cite.path + RESULTS_ANCHOR}" aria-label="Quote">
    <div>
      <label for="cite-quote">Quote or address of a citation</label>
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

const NOTHING_PASTED = html`<p class="soft">Each citation of this service ends with an address of its own. Paste a citation with its address: the answer shows the words as they were published, and what holds today.</p>`;

const NO_ADDRESS = html`<h2 id="results" tabindex="-1" data-heading data-summary>No address of a citation</h2>
  <p>The text holds no address of a citation of this service, so the service cannot say whether it published these words. Paste the whole citation, with the address at its end.</p>`;

const UNKNOWN = html`<h2 id="results" tabindex="-1" data-heading data-summary>Not a citation of this service</h2>
  <p>This address leads to no citation of this service. Nothing follows from it.</p>`;

/** The page of a record's newest citation. The server shows older ones on the page /cite/. */
export function citationDocument(site: Site, id: string): SafeHtml {
  const input = { path: {}, query: { [CITED_ID]: id } };
  const answer = cite.answer(site.context, input);
  const { name, title, description } = citationFacts(answer);
  const files = new UsedFiles(site);
  const content = html`<h1>Citation of <bdi translate="no">${name}</bdi></h1>
  <p class="lead">See a citation as published, the evidence behind it, and its status today.</p>
  ${citeForm(input)}
  ${citeAnswer(answer)}
  ${scriptTag(files, "refine")}`;
  return layout(site, files, { title, description, canonical: null }, content);
}
