import type { ScriptName, StyleName } from "./page-files.ts";
import type { Site } from "./site.ts";

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
