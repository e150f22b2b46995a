import ranges from "@fontsource-variable/public-sans/unicode.json" with { type: "json" };
import { type FontUse, fontsShown, lettersOf } from "../render/page-fonts.ts";
import type { ScriptName, StyleName } from "./page-files.ts";
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

/** The styles and scripts of one page: whoever needs one says so while it renders, and the layout names the styles. */
export class UsedFiles {
  readonly #site: Site;
  readonly #styles = new Set<StyleName>();
  readonly #scripts = new Set<ScriptName>();

  constructor(site: Site) {
    this.#site = site;
  }

  style(name: StyleName): void {
    this.#styles.add(name);
  }

  /** Addresses of the styles in the order in which they apply: that of every page is first. */
  styles(): string[] {
    return [...new Set<StyleName>(["every-page", ...this.#styles])]
      .map((name) => this.#site.file(`${name}.css`))
      .filter((address) => address !== undefined);
  }

  /** Address of a script for whoever asks first; undefined for others, and where the release has none. */
  script(name: ScriptName): string | undefined {
    if (this.#scripts.has(name)) return undefined;
    this.#scripts.add(name);
    return this.#site.file(`${name}.js`);
  }
}
