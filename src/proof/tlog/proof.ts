import { equalBytes } from "./bytes.ts";
import { FormatError } from "./format-error.ts";
import { consistencySubtrees, inclusionSubtrees } from "./subtrees.ts";
import { HASH_BYTES } from "./tile.ts";

/** SHA-256(0x01, left, right): in Node at once, in a browser by WebCrypto later. */
export type NodeHash = (left: Uint8Array, right: Uint8Array) => Uint8Array | Promise<Uint8Array>;

export interface InclusionClaim {
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

export interface ConsistencyClaim {
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
