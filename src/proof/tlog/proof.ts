import { equalBytes, FormatError, fromBase64, toBase64 } from "./bytes.ts";
import { HASH_BYTES } from "./tile.ts";

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
