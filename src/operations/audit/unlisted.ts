import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { MANIFEST_FILES } from "../../build/stages/manifest.ts";
import { TWINS, twinsOfList } from "../../kernel/files/compressed-twins.ts";
import type { Findings } from "../../proof/audit/findings.ts";
import type { ReleaseManifest, SignedRelease } from "../../proof/audit/release-manifest.ts";

export interface Unlisted {
  readonly twins: string | undefined; // the signed list of compressed twins; without one they are not checked
  readonly surplus: number; // of twins, over those in the list
  readonly others: readonly string[];
}

const FILES_A_TURN = 200;

/** The other parts of the audit get their turns meanwhile. */
export async function lookForUnlisted(
  site: string,
  { manifest }: SignedRelease,
  twins: string | undefined,
  signal: AbortSignal,
): Promise<Unlisted> {
  const others: string[] = [];
  let found = 0;
  for (const path of unknownFiles(site, (path) => isListed(path, manifest))) {
    if (!isTwinPath(path)) others.push(path);
    else if (++found % FILES_A_TURN === 0) await turn();
    if (signal.aborted) break;
  }
  let listed = 0;
  for (const _twin of twinsOfList(twins ?? "")) listed += 1;
  return { twins, surplus: found - listed, others };
}

/** If all listed twins exist, an unlisted one shows as a surplus, and only then is it worth the memory to compare names. */
export function reportUnlisted(
  site: string,
  { manifest }: SignedRelease,
  { twins: list, surplus, others }: Unlisted,
  findings: Findings,
): void {
  const allFound = findings.faults.length === 0;
  for (const path of others) findings.fault(path, UNLISTED);
  if (list === undefined || (allFound && surplus === 0)) return;
  const twins = new Set(Array.from(twinsOfList(list), ({ file, ending }) => file + ending));
  for (const path of unknownFiles(site, (path) => isListed(path, manifest) || twins.has(path)))
    if (isTwinPath(path)) findings.fault(path, UNLISTED);
}

function isListed(path: string, { files }: ReleaseManifest): boolean {
  return Object.hasOwn(files, path) || MANIFEST_FILES.includes(path);
}

const UNLISTED = "not in any signed list of this release";

function isTwinPath(path: string): boolean {
  return TWINS.some(({ ending }) => path.endsWith(ending));
}

/** A mirror of a site has none: they are only what a server sends in the place of a file. */
export function hasNoTwins(site: string): boolean {
  for (const _twin of unknownFiles(site, (path) => !isTwinPath(path))) return false;
  return true;
}

/** The files of a folder for which `isKnown` is false. */
export function* unknownFiles(
  site: string,
  isKnown: (path: string) => boolean,
  below = "",
): Generator<string> {
  for (const entry of readdirSync(join(site, below), { withFileTypes: true })) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* unknownFiles(site, isKnown, path);
    else if (!isKnown(path)) yield path;
  }
}
