/** The fonts of the site, by what each of them is for; their files and fallbacks are in src/styles/fonts.css. */
export type FontUse = "text" | "text beyond Latin-1" | "code";

const CODE = /<(?:code|pre)[\s>]/;
const DETAILS = /<(\/?)details\b([^>]*)>/g;
const TAGS = /<[^>]*>/g;
const BEYOND_LATIN_1 = /[\u0100-\u{10ffff}]/gu;

/**
 * The fonts that a page shows as it opens, which are worth loading before its style asks for them. A preloaded font that the page
 * does not show would make browsers warn, so closed `details` do not count. `extended` has one letter and is true of those that
 * the font of Latin-1 lacks and the other one has.
 */
export function fontsShown(html: string, extended: (letter: string) => boolean): readonly FontUse[] {
  const shown = withoutClosedDetails(html);
  const isExtended = [...new Set(shown.replace(TAGS, "").match(BEYOND_LATIN_1))].some(extended);
  return [
    "text",
    ...(isExtended ? ["text beyond Latin-1" as const] : []),
    ...(CODE.test(shown) ? ["code" as const] : []),
  ];
}

/** Leaves out each outermost closed `details`, its summary included, which is a few words of Latin. */
function withoutClosedDetails(html: string): string {
  let shown = "";
  let from = 0;
  let depth = 0; // of details around the present place, once one of them is closed
  for (const { index, 0: tag, 1: slash, 2: attributes = "" } of html.matchAll(DETAILS)) {
    const isEnd = slash === "/";
    if (depth === 0 && !isEnd && !/\bopen\b/.test(attributes)) {
      shown += html.slice(from, index);
      depth = 1;
    } else if (depth > 0) {
      depth += isEnd ? -1 : 1;
      from = index + tag.length;
    }
  }
  return depth === 0 ? shown + html.slice(from) : shown;
}

/** Whether a letter is in a `unicode-range` as CSS writes it, of code points and ranges without wildcards. */
export function rangeTest(unicodeRange: string): (letter: string) => boolean {
  const ranges = unicodeRange.split(",").map((range) => {
    const [from = "", to = from] = range.trim().replace(/^U\+/i, "").split("-");
    return { from: Number.parseInt(from, 16), to: Number.parseInt(to, 16) };
  });
  return (letter) => {
    const code = letter.codePointAt(0) ?? 0;
    return ranges.some(({ from, to }) => from <= code && code <= to);
  };
}
