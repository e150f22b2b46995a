import type Database from "better-sqlite3";
import { inclusionSubtrees, type Subtree } from "../../proof/tlog/proof.ts";
import { changedRow } from "../rows/stored-rows.ts";
import { Frontier } from "./merkle.ts";

const CHUNK = 2000;

/**
 * The hashes that lead from a row's leaf to the root over the first `size` rows (RFC 6962, 2.1.1), the leaf's sibling first.
 * Computed from all other leaf hashes, which are not checked: the caller must compare the resulting root. A million rows take
 * a second. Throws OperatorError naming a row that is missing, FormatError for a row outside of the tree.
 */
export function inclusionPath(database: Database.Database, row: number, size: number): Buffer[] {
  return inclusionSubtrees(row - 1, size).map((subtree) => subtreeRoot(database, subtree));
}

function subtreeRoot(database: Database.Database, { start, end }: Subtree): Buffer {
  const chunk = database
    .prepare<[number, number], Buffer>("SELECT leaf_hash FROM rows WHERE id > ? AND id <= ? ORDER BY id")
    .pluck();
  const tree = new Frontier();
  for (let last = start; last < end; last = start + tree.size) {
    const upTo = Math.min(last + CHUNK, end);
    for (const leaf of chunk.all(last, upTo)) tree.push(leaf);
    if (start + tree.size !== upTo)
      throw changedRow(last + 1, `a row of the ${upTo - last} from here is missing`);
  }
  return tree.root();
}
