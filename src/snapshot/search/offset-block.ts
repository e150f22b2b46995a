/**
 * A set of offsets 0..65535 as bytes, the same on every machine: ascending 16-bit little-endian numbers while that is
 * the shorter form, else one bit for each offset (the two containers of Roaring bitmaps, Chambi et al. 2016).
 */
export const BLOCK_SIZE = 65_536;
const BITMAP_BYTES = BLOCK_SIZE / 8; // every list is shorter, so the length identifies the form

/** Sets of more offsets than that are bitmaps. */
export const MAX_LISTED = BITMAP_BYTES / 2 - 1;

type Offsets = readonly number[] | Uint16Array;

/** A position is offset `offsetOf` in block number `blockOf`. */
export function blockOf(position: number): number {
  return Math.floor(position / BLOCK_SIZE);
}

export function offsetOf(position: number): number {
  return position % BLOCK_SIZE;
}

/** `offsets` must ascend without duplicates. */
export function encodeBlock(offsets: Offsets): Uint8Array {
  return offsets.length <= MAX_LISTED ? encodeList(offsets) : encodeBitmap(offsets);
}

export function decodeBlock(block: Uint8Array): number[] {
  return isBitmap(block) ? setBits(block) : decodeList(block);
}

/** Reads a list of any length. */
export function decodeList(list: Uint8Array): number[] {
  return Array.from({ length: list.length / 2 }, (_, index) => listed(list, index));
}

/** The members of the ascending `offsets` that are in the block. */
export function intersectBlock(offsets: readonly number[], block: Uint8Array): number[] {
  return isBitmap(block) ? offsets.filter((offset) => hasBit(block, offset)) : intersectList(offsets, block);
}

export function hasOffset(block: Uint8Array, offset: number): boolean {
  if (isBitmap(block)) return hasBit(block, offset);
  let from = 0;
  let to = block.length / 2;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (listed(block, middle) < offset) from = middle + 1;
    else to = middle;
  }
  return from < block.length / 2 && listed(block, from) === offset;
}

function intersectList(offsets: readonly number[], block: Uint8Array): number[] {
  const last = block.length / 2;
  let index = 0;
  return offsets.filter((offset) => {
    while (index < last && listed(block, index) < offset) index += 1;
    return index < last && listed(block, index) === offset;
  });
}

function setBits(block: Uint8Array): number[] {
  const offsets: number[] = [];
  for (let index = 0; index < BITMAP_BYTES; index += 1) {
    let bits = block[index] ?? 0;
    while (bits !== 0) {
      offsets.push(index * 8 + 31 - Math.clz32(bits & -bits));
      bits &= bits - 1;
    }
  }
  return offsets;
}

function encodeList(offsets: Offsets): Uint8Array {
  const block = new Uint8Array(offsets.length * 2);
  for (let index = 0; index < offsets.length; index += 1) {
    const offset = offsets[index] ?? 0;
    block[index * 2] = offset & 0xff;
    block[index * 2 + 1] = offset >> 8;
  }
  return block;
}

function encodeBitmap(offsets: Offsets): Uint8Array {
  const block = new Uint8Array(BITMAP_BYTES);
  for (const offset of offsets) block[offset >> 3] = (block[offset >> 3] ?? 0) | (1 << (offset & 7));
  return block;
}

function isBitmap(block: Uint8Array): boolean {
  return block.length === BITMAP_BYTES;
}

function hasBit(block: Uint8Array, offset: number): boolean {
  return ((block[offset >> 3] ?? 0) & (1 << (offset & 7))) !== 0;
}

function listed(block: Uint8Array, index: number): number {
  return (block[index * 2] ?? 0) | ((block[index * 2 + 1] ?? 0) << 8);
}
