import { type NoPicture, type Picture, pictureHtml } from "../../pictures/picture.ts";
import { type HtmlValue, html, type SafeHtml } from "../../render/html.ts";
import type { ScriptName } from "../page-files.ts";
import type { UsedFiles } from "../used-files.ts";

/** Small parts that several pages share. */

export interface TableFacts {
  readonly label: string;
  readonly caption: string;
  readonly stack?: boolean; // on a phone each row is a card; data-label names each cell
}

/** A wide table scrolls in its own box, also by keyboard; the page never scrolls sideways. `rows` are its head and body. */
export function scrollTable({ label, caption, stack = false }: TableFacts, rows: HtmlValue): SafeHtml {
  return html`<div class="${stack ? "scroll stack" : "scroll"}" role="region" aria-label="${label}" tabindex="0">
    <table>
      <caption><span>${caption}</span></caption>
      ${rows}
    </table>
  </div>`;
}

/** A text with a name in it. The name may be written from right to left; isolated, it leaves the sentence around it in order. */
export function namedText(text: string, name: string): SafeHtml {
  const parts = name === "" ? [text] : text.split(name);
  return html`${parts.map((part, at) => [at > 0 && html`<bdi translate="no">${name}</bdi>`, part])}`;
}

/** What a result proves and does not prove, always shown together. */
export function proofLists(proves: readonly string[], doesNotProve: readonly string[]): SafeHtml {
  const items = (texts: readonly string[]) => texts.map((text) => html`<li>${text}</li>`);
  return html`<div class="pair">
    <section><h2 id="proves">What this proves</h2><ul class="proves">${items(proves)}</ul></section>
    <section>
      <h2 id="does-not-prove">What this does not prove</h2>
      <ul class="proves-not">${items(doesNotProve)}</ul>
    </section>
  </div>`;
}

/** A download of single records, with the terms that hold for them. */
export function recordsDownload(href: string, text: string): SafeHtml {
  return html`<p class="do">
    <a class="button" href="${href}" download rel="nofollow">${text}</a>
    <span class="soft">Records are under the <a href="/terms/">terms of the service</a>.</span>
  </p>`;
}

/** A script of a page, once however many parts of the page ask for it. */
export function scriptTag(files: UsedFiles, name: ScriptName): SafeHtml | undefined {
  const src = files.script(name);
  return src === undefined ? undefined : html`<script type="module" src="${src}"></script>`;
}

const figures = new WeakMap<Picture | NoPicture, SafeHtml>();

/** A picture as HTML, made once: a city's page shows the same ones whatever is asked of its records. */
export function figureHtml(picture: Picture | NoPicture): SafeHtml {
  const html = figures.get(picture) ?? pictureHtml(picture);
  figures.set(picture, html);
  return html;
}
