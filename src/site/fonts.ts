import code from "@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-400-normal.woff2?url";
import extendedText from "@fontsource-variable/public-sans/files/public-sans-latin-ext-wght-normal.woff2?url";
import text from "@fontsource-variable/public-sans/files/public-sans-latin-wght-normal.woff2?url";
import ranges from "@fontsource-variable/public-sans/unicode.json" with { type: "json" };
import { type FontUse, fontsShown, rangeTest } from "../render/page-fonts.ts";

/** URLs of the files in src/styles/fonts.css. */
const FILES: Readonly<Record<FontUse, string>> = { text, "text beyond Latin-1": extendedText, code };

const isInLatin = rangeTest(ranges.latin);
const isInExtension = rangeTest(ranges["latin-ext"]);

/** URLs of the fonts to preload for a page's HTML. */
export function fontFiles(html: string): readonly string[] {
  const shown = fontsShown(html, (letter) => isInExtension(letter) && !isInLatin(letter));
  return shown.map((use) => FILES[use]);
}
