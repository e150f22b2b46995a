import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readSnapshotPath } from "../kernel/config/environment.ts";
import { releasePaths } from "../kernel/home.ts";

/**
 * Reads a file that an earlier build stage wrote, such as `openapi.json`, so that pages show exactly what is published.
 * Throws when the file is missing.
 */
export function releaseText(path: string): string {
  return readFileSync(join(releasePaths(dirname(readSnapshotPath())).site, path), "utf8");
}
