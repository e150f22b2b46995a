/**
 * Overwrites with zeros what an SQLite file holds in unused parts of its pages: `overwrite-unused.ts <path>`. A process of its own, because
 * whoever closes the file by system calls loses all locks that the process holds on it (POSIX). The caller holds the write lock, and the
 * write-ahead log is empty: nobody else writes to the file. SQLite reads none of these bytes, so a crash leaves a sound file.
 */

import { closeSync, constants, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { openDatabaseFile } from "../../kernel/database-file.ts";
import { readTrunk, type Span, unusedOfOverflowPage, unusedOfTreePage } from "./unused-bytes.ts";

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
