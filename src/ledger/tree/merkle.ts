import type Database from "better-sqlite3";
import { EMPTY_ROOT, nodeHash } from "../../kernel/hash.ts";
import { joinEntries } from "../../proof/tlog/leaf.ts";
import {
  entriesPath,
  HASH_BYTES,
  inclusionSubtrees,
  type Subtree,
  TILE_WIDTH,
  tilePath,
} from "../../proof/tlog/proof.ts";
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

/** Writes a growing tree as tiles (C2SP tlog-tiles) and entry bundles, each full one as soon as it is. It holds the right edge only. */
export class TileWriter {
  readonly #write: WriteFile;
  readonly #edge: TileEdge;
  #entries: Buffer[] = [];

  /** `edge`: the partial tiles of the levels from 1 up, written already, where the tree has `size` leaves, a multiple of 256. */
  constructor(write: WriteFile, size = 0, edge: readonly Uint8Array[] = []) {
    this.#write = write;
    this.#edge = new TileEdge(write, size, edge);
  }

  get size(): number {
    return this.#edge.size;
  }

  push(entry: Buffer, leafHash: Buffer): void {
    this.#entries.push(entry);
    this.#edge.push(leafHash);
    if (this.#entries.length < TILE_WIDTH) return;
    this.#write(entriesPath(this.size / TILE_WIDTH - 1, TILE_WIDTH), joinEntries(this.#entries));
    this.#entries = [];
  }

  /** The partial tiles and the partial bundle of the tree as it stands: together with the full ones, all its files. */
  writePartial(): void {
    this.#edge.writePartial();
    if (this.#entries.length === 0) return;
    const index = Math.floor(this.size / TILE_WIDTH);
    this.#write(entriesPath(index, this.#entries.length), joinEntries(this.#entries));
  }

  root(): Buffer {
    return this.#edge.root();
  }
}

export type WriteFile = (path: string, bytes: Uint8Array) => void;

/**
 * The right edge of a growing tree: at each level the hashes of the tile that is not full yet, which are the partial tiles of the
 * tree as it stands. Writes each full tile as soon as it is.
 */
export class TileEdge {
  readonly #write: WriteFile;
  readonly #levels: Buffer[][];
  /** The partial tile that was last written of each level: the next size may leave those above as they are. */
  readonly #partials: string[];
  #size: number;

  /** `edge`: the partial tiles of the levels from 1 up, written already, where the tree has `size` leaves, a multiple of 256. */
  constructor(write: WriteFile, size = 0, edge: readonly Uint8Array[] = []) {
    if (size % TILE_WIDTH !== 0) throw new RangeError("a tree is continued at the start of a bundle");
    this.#write = write;
    this.#size = size;
    this.#levels = [[], ...edge.map(hashesOfTile)];
    this.#partials = this.#levels.map((hashes, level) => this.#partialPath(level, hashes.length));
  }

  get size(): number {
    return this.#size;
  }

  push(leafHash: Buffer): void {
    this.#size += 1;
    this.#add(0, leafHash);
  }

  /** A full tile of leaves at once, with the root over them. Throws RangeError in the middle of a tile. */
  pushTile(leafHashes: Uint8Array, root: Buffer): void {
    if (this.#size % TILE_WIDTH !== 0) throw new RangeError("a tile is added at the start of a tile");
    this.#write(tilePath({ level: 0, index: this.#size / TILE_WIDTH, width: TILE_WIDTH }), leafHashes);
    this.#size += TILE_WIDTH;
    this.#add(1, root);
  }

  /** The partial tiles of the tree as it stands: together with the full ones, all its tiles. */
  writePartial(): void {
    for (const [level, hashes] of this.#levels.entries()) {
      const path = this.#partialPath(level, hashes.length);
      if (hashes.length === 0 || this.#partials[level] === path) continue;
      this.#partials[level] = path;
      this.#write(path, Buffer.concat(hashes));
    }
  }

  /** The root of the tree as it stands: what the tiles of the right edge add up to. */
  root(): Buffer {
    let right: Buffer | undefined;
    for (const hashes of this.#levels) {
      const all = right === undefined ? hashes : [...hashes, right];
      if (all.length > 0) right = foldRagged(all);
    }
    return right ?? EMPTY_ROOT;
  }

  #partialPath(level: number, width: number): string {
    return tilePath({ level, index: Math.floor(this.#size / TILE_WIDTH ** (level + 1)), width });
  }

  #add(level: number, hash: Buffer): void {
    const hashes = this.#levels[level] ?? [];
    this.#levels[level] = hashes;
    hashes.push(hash);
    if (hashes.length < TILE_WIDTH) return;
    const index = this.#size / TILE_WIDTH ** (level + 1) - 1;
    this.#write(tilePath({ level, index, width: TILE_WIDTH }), Buffer.concat(hashes));
    this.#levels[level] = [];
    this.#add(level + 1, foldRagged(hashes));
  }
}

/** The root over the hashes of a tile. Throws RangeError when they are cut short. */
export function rootOfTile(tile: Uint8Array): Buffer {
  return foldRagged(hashesOfTile(tile));
}

/** The hashes of a tile, in the tile's own memory. Throws RangeError when they are cut short. */
export function hashesOfTile(tile: Uint8Array): Buffer[] {
  if (tile.length % HASH_BYTES !== 0) throw new RangeError("a tile is a whole number of hashes");
  return Array.from({ length: tile.length / HASH_BYTES }, (_, at) =>
    Buffer.from(tile.buffer, tile.byteOffset + at * HASH_BYTES, HASH_BYTES),
  );
}

/**
 * The root over equal subtrees of which only the last may be smaller: pair by pair, an odd one carried up as it is, which is
 * how RFC 6962 splits at the largest power of two.
 */
function foldRagged(hashes: readonly Buffer[]): Buffer {
  let row = hashes;
  while (row.length > 1) {
    const above: Buffer[] = [];
    for (let at = 0; at < row.length; at += 2) {
      const [left, right] = [row[at] ?? EMPTY_ROOT, row[at + 1]];
      above.push(right === undefined ? left : nodeHash(left, right));
    }
    row = above;
  }
  return row[0] ?? EMPTY_ROOT;
}
