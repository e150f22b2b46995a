import { readFileSync } from "node:fs";
import { join } from "node:path";
import { recordOf } from "../../site/routes/record-documents.ts";
import { matchPath } from "../../site/routes/registry.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { BuildEffects } from "../effects.ts";
import { MANIFEST_FILES } from "./manifest.ts";

/** Local addresses that the server answers without a file. */
const DYNAMIC = /^\/(api\/v1\/search|api\/v1\/explorer\.csv|ledger\/proof\/\d+|mcp)(\?|$)/;
const LINK = /\s(?:href|src)="(\/[^"#]*)/g;
const MAX_SHOWN = 5;

/** Public ids of the records whose documents the server makes; a merged one redirects. */
export function shownRecords(snapshot: Snapshot): ReadonlySet<string> {
  return new Set([...snapshot.publicIds(), ...snapshot.mergedIds().map(({ publicId }) => publicId)]);
}

/**
 * Checks that every local link on every page leads to a file of this release, or to a document of one of the `records` that have no
 * files. Throws naming the first broken ones.
 */
export function checkLinks(site: string, effects: BuildEffects, records?: ReadonlySet<string>): number {
  const broken: string[] = [];
  let links = 0;
  for (const path of effects.hashes.keys()) {
    if (!path.endsWith(".html")) continue;
    for (const [, link = ""] of readFileSync(join(site, path), "utf8").matchAll(LINK)) {
      links += 1;
      if (!DYNAMIC.test(link) && !isFile(link, effects) && !isOfRecord(link, records))
        broken.push(`${path} links to ${link}`);
    }
  }
  if (broken.length === 0) return links;
  const shown = broken.slice(0, MAX_SHOWN).join("; ");
  throw new Error(`${broken.length} broken links: ${shown}${broken.length > MAX_SHOWN ? "; …" : ""}`);
}

function isOfRecord(link: string, records: ReadonlySet<string> | undefined): boolean {
  if (records === undefined) return false;
  const publicId = recordOf(matchPath(link.split("?")[0] ?? "").values);
  return publicId !== undefined && records.has(publicId);
}

function isFile(link: string, effects: BuildEffects): boolean {
  const path = decodeURI(link.split("?")[0] ?? "").slice(1);
  if (path === "" || path.endsWith("/")) return effects.hashes.has(`${path}index.html`);
  return effects.hashes.has(path) || effects.hashes.has(`${path}.json`) || MANIFEST_FILES.includes(path);
}
