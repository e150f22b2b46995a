/** The script and the style of the desk's pages: our own sources, made ready when the desk starts. */
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { sha256Base64url } from "../kernel/hash.ts";
import type { Sent } from "./http.ts";

const STYLES = [
  "site/styles/tokens.css",
  "site/styles/base.css",
  "site/styles/controls.css",
  "site/styles/tables.css",
  "desk/desk.css",
];
const SCRIPT = "site/scripts/desk.ts";

export class DeskAssets {
  readonly style: string; // addresses
  readonly script: string;
  readonly #files: ReadonlyMap<string, Sent>;

  /** `project` is the folder of the sources. */
  constructor(project: string) {
    const read = (path: string) => readFileSync(join(project, "src", path), "utf8");
    const style = { type: "text/css", body: STYLES.map(read).join("\n") };
    const script = { type: "text/javascript", body: withoutTypes(read(SCRIPT)) };
    this.style = `/assets/desk.${digest(style.body)}.css`;
    this.script = `/assets/desk.${digest(script.body)}.js`;
    this.#files = new Map([
      [this.style, style],
      [this.script, script],
    ]);
  }

  find(path: string): Sent | undefined {
    return this.#files.get(path);
  }
}

function digest(text: string): string {
  return sha256Base64url(text).slice(0, 10);
}

/** Types are stripped as Node strips those of this program. It warns that the function may change; nobody at a desk can act on that. */
function withoutTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
