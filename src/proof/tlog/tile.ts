/**
 * Tiles of a Merkle tree (C2SP tlog-tiles): runs of 256 hashes. A tile of level L holds roots of subtrees of 256^L leaves, so
 * level 0 holds leaf hashes. The last tile of a level may be partial; a full tile and its partial forms are files of their own.
 */

export const TILE_WIDTH = 256;
export const TILE_HEIGHT = 8;
export const HASH_BYTES = 32;

export interface Tile {
  readonly level: number;
  readonly index: number;
  readonly width: number; // 1..256 hashes
}

/** The tile of level 0, the entry bundle and the file of disclosures that hold a row (from 1). */
export function bundleOf(row: number): number {
  return Math.floor((row - 1) / TILE_WIDTH);
}

/** How many rows of a tree of `size` lie in a bundle. */
export function bundleWidth(bundle: number, size: number): number {
  return Math.min(TILE_WIDTH, size - bundle * TILE_WIDTH);
}

/** Where a tile lies below the log's prefix. */
export function tilePath({ level, index, width }: Tile): string {
  return `tile/${level}/${widthPath(index, width)}`;
}

/** Where the leaves themselves lie: bundles as wide as the tiles of level 0. */
export function entriesPath(index: number, width: number): string {
  return `tile/entries/${widthPath(index, width)}`;
}

/** Disclosures lie in bundles of the same rows; unlike tiles they change when rows are redacted. */
export function disclosuresPath(index: number): string {
  return `disclosures/${numberPath(index)}.ndjson`;
}

/** Three digits a folder, so that no folder grows large: 1234067 is x001/x234/067. */
function numberPath(index: number): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, "0").match(/.../g) ?? [];
  return groups.map((group, at) => (at === groups.length - 1 ? group : `x${group}`)).join("/");
}

function widthPath(index: number, width: number): string {
  return width === TILE_WIDTH ? numberPath(index) : `${numberPath(index)}.p/${width}`;
}

/** The tiles of level `level` in a tree of `size` leaves, in order; the last may be partial, none is empty. */
export function* tilesOfLevel(level: number, size: number, from = 0): Generator<Tile> {
  const hashes = hashesOfLevel(level, size);
  for (let index = from; index * TILE_WIDTH < hashes; index += 1) {
    yield { level, index, width: Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH) };
  }
}

/** Levels 0 and up that have a tile in a tree of `size` leaves. */
export function levelCount(size: number): number {
  let levels = 0;
  while (hashesOfLevel(levels, size) > 0) levels += 1;
  return levels;
}

/** How many subtrees of 256^level leaves are complete: partial tiles never feed the level above. */
export function hashesOfLevel(level: number, size: number): number {
  return Math.floor(size / TILE_WIDTH ** level);
}
