/** Markup as strings. Values are escaped unless this module created them. */
import { escapeHtml } from "../kernel/text/markup.ts";

/** Markup that is safe to insert. Only `html` and `raw` create it. */
class SafeHtml {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

export type { SafeHtml };

/** Values allowed in a template. `undefined`, `null` and `false` render nothing; lists are joined. */
export type HtmlValue = string | number | SafeHtml | undefined | null | false | readonly HtmlValue[];

/**
 * A piece of HTML or SVG: html`<a href="${path}">${name}</a>`. A value may stand where text stands or within the quotes of an
 * attribute, and nowhere else: not as a name, not in an attribute without quotes, not in a script or a style. Nor does escaping
 * make an address harmless: paths are made by us. Line breaks with their indentation shrink to the line break.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): SafeHtml {
  const texts = shrunk(strings);
  return new SafeHtml(
    values.reduce<string>(
      (text, value, at) => text + htmlText(value) + (texts[at + 1] ?? ""),
      texts[0] ?? "",
    ),
  );
}

/** Marks a string as markup, such as our own SVG. Never use it for outside input. */
export function raw(text: string): SafeHtml {
  return new SafeHtml(text);
}

function htmlText(value: HtmlValue): string {
  if (typeof value === "string") return escapeHtml(value);
  if (value === undefined || value === null || value === false) return "";
  if (typeof value === "number" || value instanceof SafeHtml) return String(value);
  return value.map(htmlText).join("");
}

// Cached by template, because the same few are filled thousands of times.
const shrunkBefore = new WeakMap<TemplateStringsArray, readonly string[]>();

function shrunk(strings: TemplateStringsArray): readonly string[] {
  const known = shrunkBefore.get(strings);
  if (known !== undefined) return known;
  const texts = strings.map((text) => text.replace(/\n\s+/g, "\n"));
  shrunkBefore.set(strings, texts);
  return texts;
}
