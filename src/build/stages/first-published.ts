import { existsSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { hasErrorCode } from "../../kernel/errors.ts";
import { releasePaths } from "../../kernel/home.ts";
import { type Clock, SECOND_MS } from "../../kernel/time.ts";
import { readOwnManifest } from "../../proof/audit/release-manifest.ts";
import { MANIFEST_FILES } from "./manifest.ts";

/**
 * Sets the time of each file whose bytes the published release does not have at its address to that of publication: what web servers send
 * as `Last-Modified`. HTTP counts whole seconds, so it is a second later at least than any before, even where a patch follows at once or the
 * clock was set back. Files that stay keep theirs. A release without a manifest is left alone.
 */
export function stampNewFiles(directory: string, published: string | undefined, clock: Clock): void {
  const { site, manifest } = releasePaths(directory);
  if (!existsSync(manifest)) return;
  const before = published === undefined ? undefined : releasePaths(published).manifest;
  const isKnown = before !== undefined && existsSync(before);
  const known = isKnown ? readOwnManifest(before).files : {};
  const last = isKnown ? Math.floor(statSync(before).mtimeMs / SECOND_MS) : 0;
  const seconds = Math.max(Math.floor(clock() / SECOND_MS), last + 1);
  const changed = Object.entries(readOwnManifest(manifest).files).filter(
    ([path, hash]) => known[path] !== hash,
  );
  // The manifest keeps the time of the last publication, whether it has changed or not.
  for (const path of [...changed.map(([path]) => path), ...MANIFEST_FILES]) stamp(join(site, path), seconds);
}

function stamp(file: string, seconds: number): void {
  try {
    utimesSync(file, seconds, seconds);
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error; // a file that is missing here is reported by the audit
  }
}
