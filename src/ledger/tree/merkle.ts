import type Database from "better-sqlite3";
import { EMPTY_ROOT, nodeHash } from "../../kernel/merkle-hash.ts";
import { inclusionSubtrees, type Subtree } from "../../proof/tlog/proof.ts";
import { HASH_BYTES } from "../../proof/tlog/tile.ts";
import { changedRow } from "../rows/stored-rows.ts";

/**
 * The right edge of a growing tree: the roots of its full subtrees, the largest first, one for each set bit of `size`.
 * Pushing n leaves costs fewer than n node hashes, whatever the size.
 */
export class Frontier {
  #size = 0;
  readonly #peaks: Buffer[] = [];

  /** Throws RangeError when the bytes are not the peaks of a tree of that size. */
  static fromBytes(size: number, bytes: Buffer): Frontier {
    const frontier = new Frontier();
    frontier.#size = size;
    for (let at = 0; at < bytes.length; at += HASH_BYTES)
      frontier.#peaks.push(Buffer.from(bytes.subarray(at, at + HASH_BYTES)));
    if (bytes.length !== countSetBits(size) * HASH_BYTES)
      throw new RangeError(`a tree of ${size} leaves does not have ${bytes.length / HASH_BYTES} peaks`);
    return frontier;
  }

  get size(): number {
    return this.#size;
  }

  push(leaf: Buffer): void {
    let node = leaf;
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2)
      node = nodeHash(this.#peaks.pop() ?? EMPTY_ROOT, node);
    this.#peaks.push(node);
    this.#size += 1;
  }

  root(): Buffer {
    const [smallest, ...larger] = this.#peaks.toReversed();
    if (smallest === undefined) return EMPTY_ROOT;
    return larger.reduce((right, left) => nodeHash(left, right), smallest);
  }

  toBytes(): Buffer {
    return Buffer.concat(this.#peaks);
  }
}

function countSetBits(size: number): number {
  let bits = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) bits += rest % 2;
  return bits;
}

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
