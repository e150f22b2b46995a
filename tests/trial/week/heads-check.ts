import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hasErrorCode } from "../../../src/kernel/errors.ts";
import { nodeHash } from "../../../src/kernel/hash.ts";
import { parseNote, parseTreeHead } from "../../../src/proof/tlog/note.ts";
import { isConsistent } from "../../../src/proof/tlog/proof.ts";
import { TileTree } from "../../../src/proof/tlog/tile-tree.ts";
import type { Published } from "./published.ts";

/** Whether the tree of a release begins with those of all nights before it: proved from its published tiles (RFC 9162, 2.1.4). */
export async function headFaults(checkpoints: readonly string[], now: Published): Promise<string[]> {
  const later = parseTreeHead(parseNote(now.checkpoint).text);
  const tree = new TileTree(later.size, (path) => readBytes(join(now.site, "ledger", path)), nodeHash);
  const faults: string[] = [];
  for (const [night, checkpoint] of checkpoints.entries()) {
    const earlier = parseTreeHead(parseNote(checkpoint).text);
    const path = earlier.size === later.size ? [] : await tree.consistencyPath(earlier.size);
    const claim = { earlier, later, path };
    if (earlier.origin !== later.origin || !(await isConsistent(claim, nodeHash)))
      faults.push(
        `the tree of ${later.size} rows does not begin with that of night ${night + 1} (${earlier.size})`,
      );
  }
  return faults;
}

async function readBytes(path: string): Promise<Uint8Array | undefined> {
  try {
    return readFileSync(path);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw error;
  }
}
