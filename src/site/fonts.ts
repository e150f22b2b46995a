import ranges from "@fontsource-variable/public-sans/unicode.json" with { type: "json" };
import { type FontUse, fontsShown, lettersOf } from "../render/page-fonts.ts";
import type { Site } from "./site.ts";

/** Files of src/site/styles/fonts.css. */
const FILES = {
  text: "public-sans-latin-wght-normal.woff2",
  "text beyond Latin-1": "public-sans-latin-ext-wght-normal.woff2",
  code: "ibm-plex-mono-latin-400-normal.woff2",
} as const satisfies Readonly<Record<FontUse, string>>;

const EXTENDED = lettersOf(ranges["latin-ext"], ranges.latin);

/** URLs of the fonts to preload for a page's HTML. */
export function fontFiles(site: Site, html: string): readonly string[] {
  return fontsShown(html, EXTENDED)
    .map((use) => site.file(FILES[use]))
    .filter((url) => url !== undefined);
}
