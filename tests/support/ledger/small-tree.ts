/** For the tests: a tree and its tiles straight from the definitions of RFC 6962, 2.1, sharing no code with the rest. */

import { hash } from "node:crypto";
import { HASH_BYTES, levelCount, type Tile, tilePath, tilesOfLevel } from "../../../src/proof/tlog/proof.ts";
import type { ReadFile } from "../../../src/proof/tlog/tile-tree.ts";

export function sha256(...parts: readonly Uint8Array[]): Buffer {
  return hash("sha256", Buffer.concat(parts), "buffer");
}

export const nodeHash = (left: Uint8Array, right: Uint8Array) => sha256(Buffer.of(1), left, right);
export const leafHash = (entry: Uint8Array) => sha256(Buffer.of(0), entry);

/** MTH of the definition. */
export function rootOf(leaves: readonly Uint8Array[]): Buffer {
  const [only] = leaves;
  if (only === undefined) return sha256();
  if (leaves.length === 1) return Buffer.from(only);
  let split = 1;
  while (split < leaves.length / 2) split *= 2;
  return nodeHash(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}

export function numberedLeaves(count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => leafHash(Buffer.from(`leaf ${index}`)));
}

/** All tiles of the tree by path, each hash of a higher level the root of its 256^level leaves. */
export function tilesOfTree(leaves: readonly Uint8Array[]): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  let hashes: readonly Uint8Array[] = leaves;
  for (let level = 0; level < levelCount(leaves.length); level += 1) {
    for (const tile of tilesOfLevel(level, leaves.length)) files.set(tilePath(tile), tileBytes(hashes, tile));
    hashes = Array.from({ length: Math.floor(hashes.length / 256) }, (_, at) =>
      rootOf(hashes.slice(at * 256, at * 256 + 256)),
    );
  }
  return files;
}

function tileBytes(hashes: readonly Uint8Array[], { index, width }: Tile): Buffer {
  return Buffer.concat(hashes.slice(index * 256, index * 256 + width), width * HASH_BYTES);
}

export function readFrom(files: ReadonlyMap<string, Uint8Array>): ReadFile {
  return (path) => Promise.resolve(files.get(path));
}
