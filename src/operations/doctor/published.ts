import { currentRelease } from "../../build/stages/publish.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { releasePaths } from "../../kernel/home.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { Findings } from "../../proof/audit/findings.ts";
import { auditFile, filesInFolder } from "../../proof/audit/public-files.ts";
import { openRelease } from "../../proof/audit/release-manifest.ts";
import type { Check, CheckContext } from "./check.ts";

/** So many are read in a second or two. A release of more has its turn within as many days as it has such parts. */
const FILES_A_DAY = 2000;
const REBUILD = "run `presence build --anew`, which takes no file over from it";

/** The published files against their signed list: documents, pages, tiles of the log. */
export const publishedFiles: Check = {
  name: "published files",
  async find(context) {
    const directory = currentRelease(context.home);
    if (directory === undefined) return []; // reported by the check of the release
    const site = filesInFolder(releasePaths(directory).site);
    const findings = new Findings();
    const release = await openRelease(site, {}, findings);
    const listed = Object.entries(release?.manifest.files ?? {});
    for (const [path, sha256] of listed)
      if (isDue(path, listed.length, context)) await auditFile(site, { path, sha256 }, findings);
    return findings.faults.map(({ subject, problem }) => ({
      problem: `${directory}/site/${subject}: ${problem}`,
      mend: REBUILD,
    }));
  },
};

/** By the hash of its path each file has its day. */
function isDue(path: string, files: number, { isFull, now }: CheckContext): boolean {
  const parts = Math.ceil(files / FILES_A_DAY);
  const part = Number.parseInt(sha256Hex(path).slice(0, 8), 16) % parts;
  return isFull || part === Math.floor(now / DAY_MS) % parts;
}
