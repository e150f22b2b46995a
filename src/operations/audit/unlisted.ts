import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { MANIFEST_FILES } from "../../build/stages/manifest.ts";
import type { Findings } from "../../proof/audit/findings.ts";
import type { SignedRelease } from "../../proof/audit/release-manifest.ts";

const FILES_A_TURN = 200;

/** Reports the files of a release that its list does not name. The other parts of the audit get their turns meanwhile. */
export async function auditUnlisted(
  site: string,
  { manifest: { files } }: SignedRelease,
  findings: Findings,
  signal: AbortSignal,
): Promise<void> {
  let seen = 0;
  for (const path of filesOf(site)) {
    if (!Object.hasOwn(files, path) && !MANIFEST_FILES.includes(path))
      findings.fault(path, "not in any signed list of this release");
    if (++seen % FILES_A_TURN === 0) await turn();
    if (signal.aborted) return;
  }
}

/** The paths of all files below a folder, in its form. */
export function* filesOf(site: string, below = ""): Generator<string> {
  for (const entry of readdirSync(join(site, below), { withFileTypes: true })) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* filesOf(site, path);
    else yield path;
  }
}
