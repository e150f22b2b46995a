import { closeSync, constants, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { openDatabaseFile } from "../../kernel/database-file.ts";

/**
 * Overwrites with zeros what an SQLite file holds in unused parts of its pages: `overwrite-unused.ts <path>`. A process of its own, because
 * whoever closes the file by system calls loses all locks that the process holds on it (POSIX). The caller holds the write lock, and the
 * write-ahead log is empty: nobody else writes to the file. SQLite reads none of these bytes, so a crash leaves a sound file.
 */

const FIRST_TRUNK_AT = 32; // in the header of the file
const CHUNK_BYTES = 16 * 1024 * 1024;

const ZEROS = Buffer.alloc(65_536); // the largest page

/** What a page is. Pages of no kind stay as they are. */
interface Pages {
  readonly size: number; // bytes
  readonly count: number;
  readonly isTree: Uint8Array; // by page number
  readonly overflowUnused: ReadonlyMap<number, number>; // unused bytes of those that have some
}

interface PageRow {
  readonly pageno: number;
  readonly pagetype: string;
  readonly unused: number;
}

function pagesOf(path: string): Pages {
  const database = openDatabaseFile(path, { readonly: true });
  try {
    const pragma = (name: string) => Number(database.pragma(name, { simple: true }));
    if (pragma("auto_vacuum") !== 0) throw new Error("auto_vacuum is on: its pages are not known here");
    const [size, count] = [pragma("page_size"), pragma("page_count")];
    const isTree = new Uint8Array(count + 1);
    const overflowUnused = new Map<number, number>();
    const rows = database.prepare<[], PageRow>("SELECT pageno, pagetype, unused FROM dbstat");
    for (const { pageno, pagetype, unused } of rows.iterate())
      if (pagetype !== "overflow") isTree[pageno] = 1;
      else if (unused > 0) overflowUnused.set(pageno, unused);
    return { size, count, isTree, overflowUnused };
  } finally {
    database.close();
  }
}

class DatabaseFile implements Disposable {
  readonly #file: number;
  readonly #pages: Pages;

  constructor(path: string, pages: Pages) {
    this.#file = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW);
    this.#pages = pages;
  }

  /** Free pages may be trunks or leaves of the list; SQLite keeps their order. */
  overwriteFree(): void {
    const { size, count } = this.#pages;
    let seen = 0;
    let at = this.#page(1).readUInt32BE(FIRST_TRUNK_AT);
    while (at !== 0) {
      if (at > count || ++seen > count) throw new Error("the list of free pages does not end");
      const page = this.#page(at);
      const { next, leaves, unused } = readTrunk(page, at);
      this.#overwrite(page, at, [unused]);
      for (const leaf of leaves) this.#overwrite(this.#page(leaf), leaf, [{ start: 0, end: size }]);
      at = next;
    }
  }

  overwriteUsed(): void {
    const { size, count } = this.#pages;
    const chunk = Buffer.alloc(Math.max(size, CHUNK_BYTES));
    const perChunk = chunk.length / size;
    for (let first = 1; first <= count; first += perChunk) {
      const last = Math.min(count, first + perChunk - 1);
      this.#read(chunk.subarray(0, (last - first + 1) * size), first);
      for (let number = first; number <= last; number += 1)
        this.#overwriteOne(chunk.subarray((number - first) * size, (number - first + 1) * size), number);
    }
  }

  sync(): void {
    fsyncSync(this.#file);
  }

  #overwriteOne(page: Buffer, number: number): void {
    const { isTree, overflowUnused } = this.#pages;
    const unused = overflowUnused.get(number);
    if (isTree[number] === 1) this.#overwrite(page, number, unusedOfTreePage(page, number));
    else if (unused !== undefined) this.#overwrite(page, number, unusedOfOverflowPage(page, unused));
  }

  #overwrite(page: Buffer, number: number, spans: readonly Span[]): void {
    const from = (number - 1) * this.#pages.size;
    for (const { start, end } of spans) {
      const part = page.subarray(start, end);
      if (part.equals(ZEROS.subarray(0, part.length))) continue;
      part.fill(0);
      writeSync(this.#file, part, 0, part.length, from + start);
    }
  }

  #page(number: number): Buffer {
    const page = Buffer.alloc(this.#pages.size);
    this.#read(page, number);
    return page;
  }

  #read(into: Buffer, firstPage: number): void {
    let length = 0;
    const from = (firstPage - 1) * this.#pages.size;
    while (length < into.length) {
      const count = readSync(this.#file, into, length, into.length - length, from + length);
      if (count === 0) throw new Error("the file ends within a page");
      length += count;
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

const [, , path = ""] = process.argv;
using file = new DatabaseFile(path, pagesOf(path));
file.overwriteFree();
file.overwriteUsed();
file.sync();

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
function unusedOfOverflowPage(page: Buffer, unused: number): Span[] {
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
