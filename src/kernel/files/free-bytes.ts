import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";

/** Free bytes on the disk of a path that need not exist yet. */
export function freeBytes(path: string): number {
  if (!existsSync(path)) return freeBytes(dirname(path));
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
