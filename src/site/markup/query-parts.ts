/** Parts of pages that take arguments. */

import { type HtmlValue, html, raw, type SafeHtml } from "../../render/html.ts";
import { type Choice, type Choices, fieldId } from "../query/choices.ts";
import { type PageState, type QueryPage, refusalText } from "../query/query-page.ts";
import type { UsedFiles } from "../used-files.ts";
import { scriptTag } from "./parts.ts";

interface RegionParts {
  readonly form: HtmlValue;
  readonly answer: HtmlValue; // shown unless the question was refused
}

/** The part of a page that takes arguments: its form, and its answer, or why there is none. refine.ts swaps it in the browser. */
export function queryRegion(
  files: UsedFiles,
  page: Pick<QueryPage, "name" | "path" | "parameters">,
  shown: PageState<unknown>,
  { form, answer }: RegionParts,
): SafeHtml {
  const isAsked = Object.keys(shown.input.query).length > 0; // the file of a static copy has no mark of an answer
  return html`<div data-view="${page.name}"${isAsked && raw(" data-asked")}>
    ${form}
    ${"refusal" in shown ? refusalNotice(refusalText(page, shown.input, shown.refusal)) : answer}
  </div>
  ${scriptTag(files, "refine")}`;
}

/** Why a question was refused, and the way on. */
export function refusalNotice({ heading, sentence, link }: ReturnType<typeof refusalText>): SafeHtml {
  return html`<div class="notice" role="alert" data-summary>
    <p><strong>${heading}</strong> ${sentence}</p>
    <p><a href="${link.href}">${link.text}</a></p>
  </div>`;
}

interface Field {
  readonly page: string;
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
}

export interface SelectFacts extends Field {
  readonly any?: string; // what choosing nothing is called; without it the first choice is what is not given
  readonly choices: Choices;
}

/** A list to choose from. Its id is that of the page and the field, so that the focus can be kept when the form is replaced. */
export function selectField({ page, name, label, value, any, choices }: SelectFacts): SafeHtml {
  const id = fieldId(page, name);
  const option = (choice: Choice) =>
    html`<option value="${choice.value}"${choice.value === value && raw(" selected")}>${choice.label}</option>`;
  return html`<div>
    <label for="${id}">${label}</label>
    <select id="${id}" name="${name}">
      ${any !== undefined && html`<option value="">${any}</option>`}
      ${choices.map((choice) =>
        "choices" in choice
          ? html`<optgroup label="${choice.label}">
        ${choice.choices.map(option)}</optgroup>`
          : option(choice),
      )}
    </select>
  </div>`;
}

interface PagerFacts {
  readonly before: number; // rows before this page
  readonly cursor: string | null; // of the next page
  readonly next: string; // label of the link to it
  readonly to: (changes: { readonly cursor: string | undefined }) => string; // address of the list with another cursor
}

/** A cursor leads on and not back; all pages of a list come from one frozen snapshot. */
export function pager({ before, cursor, next, to }: PagerFacts): SafeHtml | undefined {
  if (before === 0 && cursor === null) return undefined;
  return html`<nav class="pager" aria-label="Pages of the list">
    ${before > 0 && html`<a class="button" href="${to({ cursor: undefined })}">First page</a>`}
    ${cursor !== null && html`<a class="button main" rel="next" href="${to({ cursor })}">${next}</a>`}
  </nav>`;
}

/** A head of a column that leads to the same list in the order of the column. */
interface Head {
  readonly id: string;
  readonly text: string;
  readonly kind?: "number" | undefined;
  readonly href?: string | undefined; // without it the column does not sort
  readonly sorted?: "ascending" | "descending" | false | undefined; // whether the list is in this order
}

export function sortableHead({ id, text, kind, href, sorted = false }: Head): SafeHtml {
  const content = href === undefined ? text : html`<a class="sort" id="${id}" href="${href}">${text}</a>`;
  return html`<th scope="col"${kind !== undefined && html` class="${kind}"`}${sorted !== false && html` aria-sort="${sorted}"`}>
    ${content}</th>`;
}
