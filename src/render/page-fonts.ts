/** The site's fonts by purpose. src/site/styles/fonts.css has their files and fallbacks. */
export type FontUse = "text" | "text beyond Latin-1" | "code";

const CODE = /<(?:code|pre)[\s>]/;
const DETAILS = /<(\/?)details\b([^>]*)>/g;
const TAGS = /<[^>]*>/g;

/**
 * Returns the fonts that a page shows when it opens and should preload. Browsers warn about unused preloads, so closed
 * `details` do not count. `extended` matches a letter that only the font beyond Latin-1 has.
 */
export function fontsShown(html: string, extended: RegExp): readonly FontUse[] {
  const mayBeExtended = extended.test(html); // false for most pages, and quick to tell
  if (!mayBeExtended && !CODE.test(html)) return ["text"];
  const visible = withoutClosedDetails(html);
  return [
    "text",
    ...(mayBeExtended && extended.test(visible.replace(TAGS, "")) ? ["text beyond Latin-1" as const] : []),
    ...(CODE.test(visible) ? ["code" as const] : []),
  ];
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

/** Matches a letter of a CSS `unicode-range` of code points and ranges, without wildcards, that `other` does not have. */
export function lettersOf(unicodeRange: string, other = ""): RegExp {
  return new RegExp(`[[${classOf(unicodeRange)}]--[${classOf(other)}]]`, "v");
}

function classOf(unicodeRange: string): string {
  return unicodeRange.replace(
    /\s*U\+([\da-f]+)(?:-([\da-f]+))?,?/gi,
    (_, from: string, to = from) => `\\u{${from}}-\\u{${to}}`,
  );
}
