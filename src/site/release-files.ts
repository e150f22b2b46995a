import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readSnapshotPath } from "../kernel/config.ts";
import { releasePaths } from "../kernel/home.ts";

/**
 * The text of a file of this release that an earlier stage of the build has written, such as `openapi.json`: a page about it
 * shows what was published, and makes nothing a second time. Throws when there is no such file.
 */
export function releaseText(path: string): string {
  return readFileSync(join(releasePaths(dirname(readSnapshotPath())).site, path), "utf8");
}
