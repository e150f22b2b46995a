import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BuildEffects } from "../effects.ts";
import { MANIFEST_FILES } from "./manifest.ts";

/** Local addresses that the server answers without a file. */
const DYNAMIC = /^\/(api\/v1\/search|api\/v1\/explorer\.csv|ledger\/proof\/\d+|mcp)(\?|$)/;
const LINK = /\s(?:href|src)="(\/[^"#]*)/g;
const MAX_SHOWN = 5;

/** Checks that every local link on every page leads to a file of this release. Throws naming the first broken ones. */
export function checkLinks(site: string, effects: BuildEffects): number {
  const broken: string[] = [];
  let links = 0;
  for (const path of effects.hashes.keys()) {
    if (!path.endsWith(".html")) continue;
    for (const [, link = ""] of readFileSync(join(site, path), "utf8").matchAll(LINK)) {
      links += 1;
      if (!DYNAMIC.test(link) && !isFile(link, effects)) broken.push(`${path} links to ${link}`);
    }
  }
  if (broken.length === 0) return links;
  const shown = broken.slice(0, MAX_SHOWN).join("; ");
  throw new Error(`${broken.length} broken links: ${shown}${broken.length > MAX_SHOWN ? "; …" : ""}`);
}

function isFile(link: string, effects: BuildEffects): boolean {
  const path = decodeURI(link.split("?")[0] ?? "").slice(1);
  if (path === "" || path.endsWith("/")) return effects.hashes.has(`${path}index.html`);
  return effects.hashes.has(path) || effects.hashes.has(`${path}.json`) || MANIFEST_FILES.includes(path);
}
