import type { PublicError } from "../kernel/errors.ts";
import { html, raw, type SafeHtml } from "../render/html.ts";
import type { ReadContext } from "../resources/define.ts";
import { type Asked, address, changed, given, pagePath, type View } from "./view.ts";

/** What stands in a page in the place of a view. Throws PublicError 400, 404 or 410. */
export function region(view: View, context: ReadContext, asked: Asked): SafeHtml {
  return around(view, asked, content(view, context, asked));
}

/** The same for a page that is not the view's own. */
export function content(view: View, context: ReadContext, asked: Asked): SafeHtml {
  return html`${view.form(context, asked)}${view.results(context, asked)}`;
}

/** The same when the answer was refused: what is wrong, in words, and a way on. */
export function refusedRegion(view: View, context: ReadContext, asked: Asked, error: PublicError): SafeHtml {
  const { text, href } = wayOn(view, asked, error);
  const alert = html`<div class="notice" role="alert" data-summary>
    <p><strong>${HEADINGS[error.status] ?? "This could not be shown"}.</strong> ${sentence(error.message)}</p>
    <p><a href="${href}">${text}</a></p>
  </div>`;
  return around(view, asked, html`${view.form(context, asked)}${alert}`);
}

const HEADINGS: Readonly<Record<number, string>> = {
  400: "This address asks for something that cannot be answered",
  404: "Nothing is at this address",
  410: "This list has been replaced by a newer one",
  429: "Too many requests came from your network",
  503: "The service is busy",
};

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function wayOn(view: View, asked: Asked, { status }: PublicError): { text: string; href: string } {
  const path = pagePath(view, asked.path);
  const again = (changes: Record<string, string | undefined>) => address(path, changed(view, asked, changes));
  if (status === 429 || status === 503) return { text: "Try again", href: again({}) };
  if (status === 404) return { text: "Start again", href: path };
  if (given(asked, "cursor") === undefined) return { text: "Start again without filters", href: path };
  return { text: "Start again from the first page", href: again({ cursor: undefined }) };
}

/** `data-asked` tells a script that the server did answer: the file of a static copy has none. */
function around({ name }: View, { query }: Asked, inner: SafeHtml): SafeHtml {
  const isAsked = Object.keys(query).length > 0;
  return html`<div data-view="${name}"${isAsked && raw(" data-asked")}>${inner}</div>`;
}

const END = "<!--/view-->";

function start(name: string): string {
  return `<!--view:${name}-->`;
}

/** A region in its place in a page, where the server finds it again. */
export function placed({ name }: View, inner: SafeHtml): SafeHtml {
  return html`${raw(start(name))}${inner}${raw(END)}`;
}

/** A page with another region in its place. Throws when the page has no such place, which is a fault of the release. */
export function filled(page: string, { name }: View, inner: SafeHtml | string): string {
  const from = page.indexOf(start(name));
  const to = page.indexOf(END, from);
  if (from < 0 || to < 0) throw new Error(`a page of this release has no place for the view ${name}`);
  return page.slice(0, from) + inner + page.slice(to + END.length);
}
