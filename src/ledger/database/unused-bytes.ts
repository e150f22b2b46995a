/** The bytes of a page of an SQLite file that hold nothing (SQLite's "Database File Format", sections 1.5 to 1.7). */

/** A part of a page: from `start` to before `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const FILE_HEADER_BYTES = 100; // before the header of page 1
const LEAF_HEADER_BYTES = 8;
const INTERIOR_HEADER_BYTES = 12;
const FREE_BLOCK_HEADER_BYTES = 4;
const TRUNK_HEADER_BYTES = 8;
const LARGEST_START = 65_536; // written as 0

/**
 * Of a page of a b-tree: what lies between the pointers to its cells and the first cell, and its free blocks. Fragments of up to three
 * bytes between cells stay. Throws Error for a page that does not keep to the format.
 */
export function unusedOfTreePage(page: Buffer, pageNumber: number): Span[] {
  const header = pageNumber === 1 ? FILE_HEADER_BYTES : 0;
  const type = page[header];
  const headerBytes = type === 0x0d || type === 0x0a ? LEAF_HEADER_BYTES : INTERIOR_HEADER_BYTES;
  if (type === undefined || ![0x0d, 0x0a, 0x05, 0x02].includes(type)) throw damaged(pageNumber);
  const start = header + headerBytes + 2 * page.readUInt16BE(header + 3);
  const end = page.readUInt16BE(header + 5) || LARGEST_START;
  if (end < start || end > page.length) throw damaged(pageNumber);
  return [{ start, end }, ...freeBlocks(page, pageNumber, header, end)];
}

/** Free blocks follow each other in the order of their places. */
function* freeBlocks(page: Buffer, pageNumber: number, header: number, cells: number): Generator<Span> {
  let least = cells;
  for (let at = page.readUInt16BE(header + 1); at !== 0; at = page.readUInt16BE(at)) {
    if (at < least || at + FREE_BLOCK_HEADER_BYTES > page.length) throw damaged(pageNumber);
    const end = at + page.readUInt16BE(at + 2);
    if (end < at + FREE_BLOCK_HEADER_BYTES || end > page.length) throw damaged(pageNumber);
    yield { start: at + FREE_BLOCK_HEADER_BYTES, end };
    least = end;
  }
}

/** Of an overflow page: what lies behind its part of the value. */
export function unusedOfOverflowPage(page: Buffer, unused: number): Span[] {
  return [{ start: page.length - unused, end: page.length }];
}

/** Free pages: each trunk names the next one and its leaves, which hold nothing. */
export interface Trunk {
  readonly next: number; // 0: the last one
  readonly leaves: readonly number[];
  readonly unused: Span;
}

export function readTrunk(page: Buffer, pageNumber: number): Trunk {
  const count = page.readUInt32BE(4);
  const start = TRUNK_HEADER_BYTES + 4 * count;
  if (start > page.length) throw damaged(pageNumber);
  return {
    next: page.readUInt32BE(0),
    leaves: Array.from({ length: count }, (_, at) => page.readUInt32BE(TRUNK_HEADER_BYTES + 4 * at)),
    unused: { start, end: page.length },
  };
}

function damaged(pageNumber: number): Error {
  return new Error(`page ${pageNumber} does not keep to the file format`);
}
