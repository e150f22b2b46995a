import { equalBytes, FormatError, fromBase64, toBase64 } from "./bytes.ts";

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

/** Which subtrees the proofs of RFC 6962, section 2.1, are made of. A subtree is its leaves [start, end). */
export interface Subtree {
  readonly start: number;
  readonly end: number;
}

/** The largest power of two below `size`, at which a tree of two or more leaves is split. */
export function splitPoint(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

/** Siblings on the way from leaf `index` to the root of a tree of `size` leaves, the leaf's own first (2.1.1). */
export function inclusionSubtrees(index: number, size: number): Subtree[] {
  if (!isIndex(index) || !isIndex(size) || index >= size)
    throw new FormatError(`a tree of ${size} leaves has no leaf ${index}`);
  const siblings: Subtree[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitPoint(end - start);
    siblings.push(index < middle ? { start: middle, end } : { start, end: middle });
    if (index < middle) end = middle;
    else start = middle;
  }
  return siblings.reverse();
}

/** What proves that a tree of `size` leaves begins with one of `earlier` leaves (2.1.2); nothing when they are the same. */
export function consistencySubtrees(earlier: number, size: number): Subtree[] {
  if (!isIndex(earlier) || !isIndex(size) || earlier < 1 || earlier > size)
    throw new FormatError(`no proof leads from ${earlier} to ${size} leaves`);
  const parts: Subtree[] = [];
  let [start, end] = [0, size];
  while (earlier < end) {
    const middle = start + splitPoint(end - start);
    parts.push(earlier <= middle ? { start: middle, end } : { start, end: middle });
    if (earlier <= middle) end = middle;
    else start = middle;
  }
  // The verifier knows the old tree's root, unless this is only the last part of that tree.
  if (start > 0) parts.push({ start, end });
  return parts.reverse();
}

function isIndex(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** SHA-256(0x01, left, right): in Node at once, in a browser by WebCrypto later. */
export type NodeHash = (left: Uint8Array, right: Uint8Array) => Uint8Array | Promise<Uint8Array>;

interface InclusionClaim {
  readonly index: number; // of the leaf, from 0
  readonly size: number;
  readonly leafHash: Uint8Array;
  readonly path: readonly Uint8Array[]; // the leaf's sibling first
}

/** The root that an inclusion proof leads to (RFC 9162, 2.1.3.2). Throws FormatError for a path of another length. */
export async function rootOfInclusion(claim: InclusionClaim, nodeHash: NodeHash): Promise<Uint8Array> {
  const { index, size, leafHash, path } = claim;
  const siblings = inclusionSubtrees(index, size);
  assertHashes([leafHash, ...path], siblings.length + 1);
  let hash = leafHash;
  for (const [at, sibling] of path.entries()) {
    const isRight = (siblings[at]?.start ?? 0) > index;
    hash = await (isRight ? nodeHash(hash, sibling) : nodeHash(sibling, hash));
  }
  return hash;
}

interface ConsistencyClaim {
  readonly earlier: { readonly size: number; readonly root: Uint8Array };
  readonly later: { readonly size: number; readonly root: Uint8Array };
  readonly path: readonly Uint8Array[];
}

/** Whether the later tree begins with all leaves of the earlier one (RFC 9162, 2.1.4.2). Throws FormatError for a path of another length. */
export async function isConsistent(claim: ConsistencyClaim, nodeHash: NodeHash): Promise<boolean> {
  const { earlier, later } = claim;
  const subtrees = consistencySubtrees(earlier.size, later.size);
  assertHashes(claim.path, subtrees.length);
  const parts = claim.path.map((hash, at) => ({ hash, start: subtrees[at]?.start ?? 0 }));
  // Both trees grow from one part that they share: the old tree itself, or where it is not whole, the last part of it.
  const isWhole = subtrees.every(({ end }) => end !== earlier.size);
  let oldRoot = (isWhole ? undefined : parts.shift())?.hash ?? earlier.root;
  let newRoot = oldRoot;
  for (const { hash, start } of parts) {
    if (start < earlier.size) oldRoot = await nodeHash(hash, oldRoot);
    newRoot = await (start < earlier.size ? nodeHash(hash, newRoot) : nodeHash(newRoot, hash));
  }
  return equalBytes(oldRoot, earlier.root) && equalBytes(newRoot, later.root);
}

function assertHashes(hashes: readonly Uint8Array[], count: number): void {
  if (hashes.length !== count)
    throw new FormatError(`a proof of ${count} hashes was expected, not of ${hashes.length}`);
  if (hashes.some((hash) => hash.length !== HASH_BYTES))
    throw new FormatError("a hash of the proof is not 32 bytes long");
}

/** An inclusion proof with its checkpoint in one text (C2SP tlog-proof). */
export interface TlogProof {
  readonly index: number; // of the leaf, from 0
  readonly path: readonly Uint8Array[]; // the leaf's sibling first
  readonly checkpoint: string; // signed note
}

const HEADER = "c2sp.org/tlog-proof@v1";
const MAX_PATH = 63;

export function formatTlogProof({ index, path, checkpoint }: TlogProof): string {
  return [HEADER, `index ${index}`, ...path.map(toBase64), "", checkpoint].join("\n");
}

/** An `extra` line may come before the index and is not read. Throws FormatError. */
export function parseTlogProof(text: string): TlogProof {
  const split = text.indexOf("\n\n");
  const [header, ...lines] = text.slice(0, Math.max(split, 0)).split("\n");
  if (header !== HEADER) throw new FormatError(`not a proof: the first line must be ${HEADER}`);
  if (lines[0]?.startsWith("extra ")) lines.shift();
  const [indexLine = "", ...encoded] = lines;
  const [, digits] = /^index (0|[1-9][0-9]{0,15})$/.exec(indexLine) ?? [];
  if (digits === undefined || encoded.length > MAX_PATH)
    throw new FormatError("not a proof: expected an index and at most 63 hashes");
  return { index: Number(digits), path: encoded.map(parseHash), checkpoint: text.slice(split + 2) };
}

function parseHash(encoded: string): Uint8Array {
  const hash = fromBase64(encoded);
  if (hash?.length !== HASH_BYTES) throw new FormatError("a line of the proof is not a hash");
  return hash;
}
