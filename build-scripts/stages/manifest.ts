import { canonicalJson } from "../../src/kernel/canonical-json.ts";
import { sha256Hex } from "../../src/kernel/hash.ts";
import { isoTime } from "../../src/kernel/time.ts";
import type { ReleaseRow } from "../../src/snapshot/rows.ts";
import type { BuildEffects } from "../effects.ts";

/** Written after everything else is checked, so that they cover it. */
export const MANIFEST_FILES: readonly string[] = ["manifest.json", "manifest.note"];

/** Signs the text of a note with the environment's key (C2SP signed note). */
export type SignNote = (text: string) => string;

/**
 * `manifest.json` lists every file of the site with its SHA-256, and the inputs of the release; `manifest.note` signs it:
 * origin + "/manifest", the release id and the manifest's SHA-256, a line each. Compressed twins are not listed.
 */
export function writeManifest(release: ReleaseRow, effects: BuildEffects, sign: SignNote): void {
  const files = Object.fromEntries([...effects.hashes].sort(([a], [b]) => (a < b ? -1 : 1)));
  const manifest = `${canonicalJson({ files, inputs: manifestInputs(release), release_id: release.releaseId })}\n`;
  effects.write("manifest.json", manifest);
  effects.write(
    "manifest.note",
    sign(`${release.origin}/manifest\n${release.releaseId}\n${sha256Hex(manifest)}\n`),
  );
}

function manifestInputs(release: ReleaseRow) {
  return {
    as_of: isoTime(release.asOf),
    base_url: release.baseUrl,
    environment: release.environment,
    origin: release.origin,
    source_revision: release.sourceRevision,
    tree_size: release.treeSize,
  };
}
