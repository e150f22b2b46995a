/** Sets of a city's eligible cells as bitmaps: bit n of the text is cell n of the city's sorted list, the highest bit of a byte first. */
import { uncompactCells } from "h3-js";
import { sha256Hex } from "../../kernel/hash.ts";
import type { CityDetails } from "../rows/rows.ts";

const CELL_RESOLUTION = 8;

/** A city's eligible cells, resolution 8, sorted: the list that bitmaps refer to. */
export function eligibleCells({ cells }: Pick<CityDetails, "cells">): string[] {
  return uncompactCells([...cells], CELL_RESOLUTION).sort();
}

/** SHA-256 of the sorted list, in hexadecimal. */
export function cellManifestId(cells: readonly string[]): string {
  return sha256Hex(cells.join("\n"));
}

/** The bitmap of those cells of `looked` that are in the list; undefined when there is none. */
export function cellBitmap(cells: readonly string[], looked: ReadonlySet<string>): string | undefined {
  const bits = Buffer.alloc(Math.ceil(cells.length / 8));
  let isEmpty = true;
  for (const [at, cell] of cells.entries()) {
    if (!looked.has(cell)) continue;
    isEmpty = false;
    bits.writeUInt8(bits.readUInt8(at >> 3) | (0x80 >> (at & 7)), at >> 3);
  }
  return isEmpty ? undefined : bits.toString("base64url");
}

/** The cells of a bitmap, sorted. Throws RangeError for a bitmap of another length than the list's, or with bits beyond it. */
export function bitmapCells(cells: readonly string[], bitmap: string): string[] {
  const bits = Buffer.from(bitmap, "base64url");
  if (bits.length !== Math.ceil(cells.length / 8))
    throw new RangeError(`the bitmap has ${bits.length} bytes for ${cells.length} cells`);
  const spare = bits.length * 8 - cells.length;
  if (spare > 0 && (bits.readUInt8(bits.length - 1) & ((1 << spare) - 1)) !== 0)
    throw new RangeError("the bitmap has bits beyond the list of cells");
  return cells.filter((_, at) => (bits.readUInt8(at >> 3) & (0x80 >> (at & 7))) !== 0);
}
