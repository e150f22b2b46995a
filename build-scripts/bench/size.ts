import { lstatSync, type Stats } from "node:fs";
import { filesBelow } from "../../src/kernel/files/durable-file.ts";

const BLOCK = 512; // the unit of `blocks`, whatever the file system's

/** Number of files below a folder and what they take on the disk. */
export function sizeOf(folder: string, isCounted: (stats: Stats) => boolean = () => true) {
  let [files, bytes] = [0, 0];
  for (const path of filesBelow(folder)) {
    const stats = lstatSync(path);
    if (!isCounted(stats)) continue;
    files += 1;
    bytes += stats.blocks * BLOCK;
  }
  return { files, megabytes: bytes / 1e6 };
}
