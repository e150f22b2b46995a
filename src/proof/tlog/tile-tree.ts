import { equalBytes, FormatError } from "./bytes.ts";
import { parseNote, parseTreeHead } from "./note.ts";
import {
  consistencySubtrees,
  formatTlogProof,
  HASH_BYTES,
  hashesOfLevel,
  inclusionSubtrees,
  type NodeHash,
  rootOfInclusion,
  type Subtree,
  splitPoint,
  TILE_HEIGHT,
  TILE_WIDTH,
  type Tile,
  tilePath,
} from "./proof.ts";

/** The bytes of a published file by its path below the log's prefix; undefined when there is none. */
export type ReadFile = (path: string) => Promise<Uint8Array | undefined>;

/** A tree of `size` leaves as its published tiles show it. What it reads is trusted only once a proof made of it leads to a signed root. */
export class TileTree {
  readonly size: number;
  readonly #read: ReadFile;
  readonly #nodeHash: NodeHash;
  readonly #tiles = new Map<string, Promise<Uint8Array>>();

  constructor(size: number, read: ReadFile, nodeHash: NodeHash) {
    this.size = size;
    this.#read = read;
    this.#nodeHash = nodeHash;
  }

  leafHash(index: number): Promise<Uint8Array> {
    return this.#subtree({ start: index, end: index + 1 });
  }

  /** Of a tree with at least one leaf. */
  root(): Promise<Uint8Array> {
    return this.#subtree({ start: 0, end: this.size });
  }

  inclusionPath(index: number): Promise<Uint8Array[]> {
    return this.#hashes(inclusionSubtrees(index, this.size));
  }

  consistencyPath(earlierSize: number): Promise<Uint8Array[]> {
    return this.#hashes(consistencySubtrees(earlierSize, this.size));
  }

  #hashes(subtrees: readonly Subtree[]): Promise<Uint8Array[]> {
    return Promise.all(subtrees.map((subtree) => this.#subtree(subtree)));
  }

  async #subtree({ start, end }: Subtree): Promise<Uint8Array> {
    const stored = await this.#stored(start, end - start);
    if (stored !== undefined) return stored;
    const middle = start + splitPoint(end - start);
    const halves = await this.#hashes([
      { start, end: middle },
      { start: middle, end },
    ]);
    const [left, right] = halves;
    if (left === undefined || right === undefined) throw new FormatError("a subtree has two halves");
    return this.#nodeHash(left, right);
  }

  /** The hash of a subtree that some tile holds as it stands. */
  async #stored(start: number, leaves: number): Promise<Uint8Array | undefined> {
    const level = Math.log2(leaves) / TILE_HEIGHT;
    if (!Number.isInteger(level)) return undefined;
    const at = start / leaves;
    const index = Math.floor(at / TILE_WIDTH);
    const width = Math.min(TILE_WIDTH, hashesOfLevel(level, this.size) - index * TILE_WIDTH);
    const hashes = await this.#tile({ level, index, width });
    const from = (at % TILE_WIDTH) * HASH_BYTES;
    return hashes.subarray(from, from + HASH_BYTES);
  }

  #tile(tile: Tile): Promise<Uint8Array> {
    const path = tilePath(tile);
    const known = this.#tiles.get(path) ?? this.#load(tile);
    this.#tiles.set(path, known);
    return known;
  }

  /** A log may drop a partial tile once the full one exists: its hashes come first in that one. */
  async #load(tile: Tile): Promise<Uint8Array> {
    const bytes =
      (await this.#read(tilePath(tile))) ?? (await this.#read(tilePath({ ...tile, width: TILE_WIDTH })));
    if (bytes === undefined) throw new FormatError(`${tilePath(tile)}: the tile is missing`);
    if (bytes.length < tile.width * HASH_BYTES)
      throw new FormatError(`${tilePath(tile)}: the tile is too short`);
    return bytes.subarray(0, tile.width * HASH_BYTES);
  }
}

/** A ledger row that the tree does not hold, or a size that was never signed. */
export class NotInTree extends FormatError {}

export interface ProofRequest {
  readonly row: number; // from 1
  readonly size?: number | undefined; // of an earlier signed tree; the newest when not given
}

/**
 * The `.tlog-proof` of a row, made of published files alone: paths are below the log's prefix. Throws NotInTree, and FormatError
 * when the tiles do not lead from the row to the root of the checkpoint. The caller verifies its signature.
 */
export async function rowProof(
  { row, size }: ProofRequest,
  read: ReadFile,
  nodeHash: NodeHash,
): Promise<string> {
  const bytes = await read(size === undefined ? "checkpoint" : `checkpoints/${size}`);
  if (bytes === undefined) throw new NotInTree(`no checkpoint of ${size ?? "any"} rows is published`);
  const checkpoint = new TextDecoder().decode(bytes);
  const head = parseTreeHead(parseNote(checkpoint).text);
  const tree = new TileTree(head.size, read, nodeHash);
  if (!Number.isSafeInteger(row) || row < 1 || row > tree.size)
    throw new NotInTree(`the tree has the rows 1 to ${tree.size}`);
  const index = row - 1;
  const [leafHash, path] = await Promise.all([tree.leafHash(index), tree.inclusionPath(index)]);
  const root = await rootOfInclusion({ index, size: head.size, leafHash, path }, nodeHash);
  if (!equalBytes(root, head.root))
    throw new FormatError(`the published tiles do not lead from row ${row} to the root of ${head.size} rows`);
  return formatTlogProof({ index, path, checkpoint });
}
