import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  assertStoreVersion,
  createDatabaseFile,
  OtherStoreVersion,
  openDatabaseFile,
  type StoreFormat,
  VERSION_OF_1X,
} from "./database-file.ts";
import { OperatorError } from "./errors.ts";

describe("database file", () => {
  const KIND = { applicationId: 7, name: "a store" };
  const OTHER = { applicationId: 8, name: "another store" };

  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "presence-database-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  let places = 0;

  function place() {
    places += 1;
    const [path, other] = [`${folder}/store${places}.db`, `${folder}/other${places}.db`];
    createDatabaseFile(other, OTHER, 0o600);
    return { path, other };
  }

  const open = (path: string) => openDatabaseFile(path, { kind: KIND });

  test("a new database is of its kind, has a log, and is never overwritten", () => {
    const { path } = place();
    createDatabaseFile(path, KIND, 0o600);
    const database = open(path);
    database.exec("CREATE TABLE t (n)");
    createDatabaseFile(path, OTHER, 0o600);
    expect(database.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(open(path).prepare("SELECT count(*) FROM t").pluck().get()).toBe(0);
  });

  test("a new database that a kill left with the name of its draft loses that, and opens", () => {
    const { path } = place();
    createDatabaseFile(path, KIND, 0o600);
    const draft = `${path}.new-0b8a`;
    linkSync(path, draft);
    open(path).close();
    expect(existsSync(draft)).toBe(false);
  });

  test.each<readonly [string, (path: string, other: string) => void, RegExp]>([
    ["nothing", () => undefined, /file not found/],
    ["a link to another store", (path, other) => symlinkSync(other, path), /a symbolic link/],
    ["a link to nothing", (path) => symlinkSync(`${path}.gone`, path), /a symbolic link/],
    ["a hard link", (path, other) => linkSync(other, path), /2 names/],
    ["another store", (path, other) => renameSync(other, path), /not a store \(its application id is 8\)/],
    ["a foreign database", (path) => new Database(path).exec("CREATE TABLE t (n)"), /not a store/],
    ["an empty file", (path) => writeFileSync(path, ""), /not a store/],
    ["a text", (path) => writeFileSync(path, "x".repeat(5000)), /not a database/],
    ["a folder", (path) => mkdirSync(path), /a folder/],
    ["a pipe", (path) => execFileSync("mkfifo", [path]), /no regular file/],
  ])("is refused in the place of a database, and stays as it is: %s", (_name, plant, message) => {
    const { path, other } = place();
    plant(path, other);
    const before = existsSync(other) ? readFileSync(other) : undefined;
    expect(() => open(path)).toThrow(message);
    expect(existsSync(other) ? readFileSync(other) : undefined).toEqual(before);
    expect(existsSync(`${path}.gone`)).toBe(false);
  });

  test.each<readonly [string, (planted: string, other: string) => void]>([
    ["a link", (planted, other) => symlinkSync(other, planted)],
    ["a hard link", (planted, other) => linkSync(other, planted)],
    ["a pipe", (planted) => execFileSync("mkfifo", [planted])],
  ])("%s in the place of a log is refused, and what it leads to stays as it is", (_name, plant) => {
    for (const ending of ["-wal", "-shm", "-journal"]) {
      const { path, other } = place();
      createDatabaseFile(path, KIND, 0o600);
      const before = readFileSync(other);
      plant(path + ending, other);
      expect(() => open(path), ending).toThrow(OperatorError);
      expect(readFileSync(other), ending).toEqual(before);
    }
  });

  test("a planted journal does not make SQLite delete the file that it names", () => {
    const { path } = place();
    createDatabaseFile(path, KIND, 0o600);
    const victim = `${folder}/victim`;
    writeFileSync(victim, "kept");
    writeFileSync(`${path}-journal`, journalNaming(victim));
    expect(() => open(path)).toThrow(/-journal: this journal does not belong to the database beside it/);
    expect(existsSync(victim)).toBe(true);
  });

  /** A rollback journal of no pages that ends with the name of a super-journal (sqlite.org/fileformat.html, 3). */
  function journalNaming(name: string): Buffer {
    const magic = Buffer.from("d9d505f920a163d7", "hex");
    const header = Buffer.alloc(512);
    magic.copy(header);
    header.writeUInt32BE(2, 16); // pages of the database
    header.writeUInt32BE(512, 20); // bytes of a sector
    header.writeUInt32BE(4096, 24); // bytes of a page
    const text = Buffer.from(name);
    const end = Buffer.alloc(8);
    end.writeUInt32BE(text.length, 0);
    end.writeInt32BE(
      text.reduce((sum, byte) => sum + byte, 0),
      4,
    );
    return Buffer.concat([header, Buffer.from([0x40, 0, 0, 0]), text, end, magic]);
  }

  test("looking at an open database drops none of its locks", () => {
    const { path } = place();
    createDatabaseFile(path, KIND, 0o600);
    const writer = open(path);
    writer.exec("CREATE TABLE t (n); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)");
    open(path).close();
    const script = `const D = require("better-sqlite3"); new D(${JSON.stringify(path)}, { timeout: 0 }).exec("BEGIN IMMEDIATE")`;
    expect(() => execFileSync(process.execPath, ["-e", script], { stdio: "pipe" })).toThrow(
      /database is locked/,
    );
    writer.exec("COMMIT");
  });

  test("nothing in the folder of two users leads the making of a database elsewhere", () => {
    const { path } = place();
    createDatabaseFile(path, KIND, 0o660);
    const names = readdirSync(folder);
    expect([open(path).pragma("journal_mode", { simple: true }), statSync(path).mode & 0o777]).toEqual([
      "wal",
      0o660,
    ]);
    expect(names.filter((name) => name.includes(".new-"))).toEqual([]);
  });

  test.skipIf(process.getuid?.() !== 0)(
    "a database is this user's, that of the folder's owner, or of the group that shares the folder",
    () => {
      const { path } = place();
      const [owner, group, stranger] = [64_101, 64_112, 64_199];
      createDatabaseFile(path, KIND, 0o660);
      chownSync(folder, owner, group);
      for (const [uid, gid, mode, isOpened] of [
        [owner, owner, 0o755, true],
        [0, 0, 0o755, true], // this process
        [stranger, group, 0o755, false],
        [stranger, group, 0o2770, true],
        [stranger, stranger, 0o2770, false],
      ] as const) {
        chmodSync(folder, mode);
        chownSync(path, uid, gid);
        if (isOpened) open(path).close();
        else expect(() => open(path)).toThrow(/a file of another user \(64199\)/);
      }
    },
  );
});

describe("store version", () => {
  const FORMAT: StoreFormat = {
    store: "ledger",
    version: 4,
    oldest: 3,
    remedy: "start with an empty folder",
  };

  test.each([3, 4])("version %i is read", (version) => {
    expect(() => assertStoreVersion("var/ledger.db", FORMAT, version)).not.toThrow();
  });

  test.each([
    [
      5,
      "var/ledger.db: the ledger was written by a newer version of presence (format 5; this one reads up to 4): install that version, or a later one",
    ],
    [
      2,
      "var/ledger.db: the ledger was written by an older version of presence (format 2; this one reads from 3): start with an empty folder",
    ],
    [
      VERSION_OF_1X,
      "var/ledger.db: the ledger was written by presence 1.x, whose formats no later version reads: start with an empty folder",
    ],
  ])("version %i is refused in one sentence", (version, sentence) => {
    const refused = new OtherStoreVersion("var/ledger.db", FORMAT, version);
    expect(refused).toBeInstanceOf(OperatorError);
    expect(refused).toMatchObject({ message: sentence, version, isNewer: version === 5 });
    expect(() => assertStoreVersion("var/ledger.db", FORMAT, version)).toThrow(sentence);
  });
});
