import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, describe, expect, test } from "vitest";
import { sha256Hex } from "../../kernel/hash.ts";
import { SeededNumbers } from "../../kernel/seeded.ts";
import { scrubFile } from "../erase.ts";
import { readTrunk, unusedOfTreePage } from "./unused-bytes.ts";

const folder = mkdtempSync(join(tmpdir(), "overwrite-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Rows come, grow, shrink and go, until SQLite has moved most of them from page to page. */
class ChurnedFile {
  readonly path: string;
  readonly db: Database.Database;
  readonly live = new Map<number, string>();
  readonly gone: string[] = [];
  readonly #pageSize: number;
  readonly #seed: number;
  readonly #random: SeededNumbers;
  #next = 0;

  constructor(pageSize: number, seed: number) {
    this.path = join(folder, `${pageSize}-${seed}.db`);
    this.#pageSize = pageSize;
    this.#seed = seed;
    this.#random = new SeededNumbers(`${pageSize} ${seed}`);
    this.db = new Database(this.path);
    this.db.pragma(`page_size = ${pageSize}`);
    this.db.pragma("journal_mode = WAL");
    this.db.pragma("secure_delete = ON");
    this.db.exec(`CREATE TABLE plain (id INTEGER PRIMARY KEY, value TEXT) STRICT;
      CREATE TABLE keyed (value TEXT PRIMARY KEY, more TEXT) STRICT, WITHOUT ROWID;
      CREATE INDEX plain_value ON plain (value);`);
    for (let round = 0; round < 8; round += 1) this.db.transaction(() => this.#churn())();
  }

  #churn(): void {
    for (let at = 0; at < 200; at += 1) this.#put(++this.#next);
    for (const [id, value] of [...this.live]) if (this.#random.next() < 0.4) this.#remove(id, value);
  }

  #put(id: number): void {
    // A token, and so much behind it that some need overflow pages.
    const more = this.#random.next() < 0.1 ? 3 * this.#pageSize : Math.floor(this.#random.next() * 120);
    const value = sha256Hex(`${this.#seed} ${++this.#next}`) + "x".repeat(more);
    this.db.prepare("INSERT OR REPLACE INTO plain VALUES (?, ?)").run(id, value);
    this.db.prepare("INSERT INTO keyed VALUES (?, ?)").run(value, value);
    this.live.set(id, value);
  }

  #remove(id: number, value: string): void {
    this.gone.push(value.slice(0, 64));
    this.db.prepare("DELETE FROM keyed WHERE value = ?").run(value);
    this.live.delete(id);
    if (this.#random.next() < 0.3) this.#put(id);
    else this.db.prepare("DELETE FROM plain WHERE id = ?").run(id);
  }
}

/** Another process reads them: to close a file by system calls would drop the locks of this one. */
const bytesOf = (path: string) => execFileSync("cat", [path], { encoding: "latin1", maxBuffer: 1e9 });

const content = (db: Database.Database) =>
  ["plain", "keyed"].map((name) => db.prepare(`SELECT * FROM ${name} ORDER BY 1`).raw().all());

describe.each([1024, 4096, 16_384])("pages of %i bytes", (pageSize) => {
  test("of a file much moved about hold no deleted value, and all others", () => {
    const { path, db, live, gone } = new ChurnedFile(pageSize, 1);
    db.pragma("wal_checkpoint(TRUNCATE)");
    const bytes = bytesOf(path);
    expect(gone.filter((token) => bytes.includes(token))).not.toEqual([]); // or this test would show nothing
    const before = content(db);
    scrubFile(db, path, { rebuiltBytes: 0 });
    const after = bytesOf(path);
    expect(gone.filter((token) => after.includes(token))).toEqual([]);
    expect([...live.values()].every((value) => after.includes(value.slice(0, 64)))).toBe(true);
    expect(content(db)).toEqual(before);
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
    db.exec("DELETE FROM plain WHERE id % 2 = 0"); // it goes on
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
    db.close();
  });
});

test("readers and the next writer notice nothing", () => {
  const { path, db } = new ChurnedFile(4096, 3);
  const reader = new Database(path, { readonly: true });
  const before = content(reader);
  scrubFile(db, path, { rebuiltBytes: 0 });
  expect(content(reader)).toEqual(before);
  const other = new Database(path);
  other.exec("DELETE FROM plain WHERE id = (SELECT min(id) FROM plain)");
  expect(other.pragma("integrity_check", { simple: true })).toBe("ok");
  for (const open of [reader, other, db]) open.close();
});

test("a process that writes keeps its lock on the file meanwhile", () => {
  const { path, db } = new ChurnedFile(4096, 4);
  const other = new Database(path, { timeout: 0 });
  scrubFile(db, path, { rebuiltBytes: 0 });
  db.exec("BEGIN IMMEDIATE");
  expect(() => other.exec("BEGIN IMMEDIATE")).toThrow("database is locked");
  db.exec("ROLLBACK");
  for (const open of [other, db]) open.close();
});

describe("pages that do not keep to the format are left alone", () => {
  const page = (change: (bytes: Buffer) => void) => {
    const bytes = Buffer.alloc(4096);
    bytes[0] = 0x0d;
    bytes.writeUInt16BE(4096, 5);
    change(bytes);
    return bytes;
  };

  test.each([
    ["another type", (bytes: Buffer) => bytes.writeUInt8(7, 0)],
    ["cells behind the page", (bytes: Buffer) => bytes.writeUInt16BE(5000, 5)],
    ["more pointers than room", (bytes: Buffer) => bytes.writeUInt16BE(4000, 3)],
    ["a free block among the pointers", (bytes: Buffer) => bytes.writeUInt16BE(2, 1)],
    [
      "free blocks in a circle",
      (bytes: Buffer) => {
        bytes.writeUInt16BE(100, 5);
        bytes.writeUInt16BE(200, 1);
        bytes.writeUInt16BE(200, 200);
        bytes.writeUInt16BE(8, 202);
      },
    ],
  ])("%s", (_, change) => {
    expect(() => unusedOfTreePage(page(change), 2)).toThrow("page 2 does not keep to the file format");
  });

  test("a trunk with more leaves than room", () => {
    const trunk = Buffer.alloc(512);
    trunk.writeUInt32BE(1000, 4);
    expect(() => readTrunk(trunk, 9)).toThrow("page 9");
  });
});
