import { FormatError } from "./format-error.ts";

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
