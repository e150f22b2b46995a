/** The site's fonts by purpose. src/styles/fonts.css has their files and fallbacks. */
export type FontUse = "text" | "text beyond Latin-1" | "code";

const CODE = /<(?:code|pre)[\s>]/;
const DETAILS = /<(\/?)details\b([^>]*)>/g;
const TAGS = /<[^>]*>/g;
const BEYOND_LATIN_1 = /[\u0100-\u{10ffff}]/gu;

/**
 * Returns the fonts that a page shows when it opens and should preload. Browsers warn about unused preloads, so closed
 * `details` do not count. `extended` tells whether a letter is only in the font beyond Latin-1.
 */
export function fontsShown(html: string, extended: (letter: string) => boolean): readonly FontUse[] {
  // Most pages have neither anywhere, which is quick to tell.
  if (!hasLetter(html, extended) && !CODE.test(html)) return ["text"];
  const shown = withoutClosedDetails(html);
  return [
    "text",
    ...(hasLetter(shown.replace(TAGS, ""), extended) ? ["text beyond Latin-1" as const] : []),
    ...(CODE.test(shown) ? ["code" as const] : []),
  ];
}

function hasLetter(text: string, extended: (letter: string) => boolean): boolean {
  return [...new Set(text.match(BEYOND_LATIN_1))].some(extended);
}

/** Removes each outermost closed `details` with its summary, which is always plain Latin. */
function withoutClosedDetails(html: string): string {
  let shown = "";
  let from = 0;
  let depth = 0; // nesting depth inside a closed details
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

/** Returns whether a letter is in a CSS `unicode-range` of code points and ranges, without wildcards. */
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
