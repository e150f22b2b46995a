import { html, type SafeHtml } from "../../render/html.ts";
import type { ScriptName } from "../page-files.ts";
import type { UsedFiles } from "../used-files.ts";

/** A script of a page, once however many parts of the page ask for it. */
export function scriptTag(files: UsedFiles, name: ScriptName): SafeHtml | undefined {
  const src = files.script(name);
  return src === undefined ? undefined : html`<script type="module" src="${src}"></script>`;
}
