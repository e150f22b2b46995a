import { copyFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { OtherStoreVersion } from "../../kernel/database-file.ts";
import { openLedgerReader } from "../reader.ts";
import { openLedgerWriter } from "../writer.ts";
import { LEDGER_FORMAT, ledgerFormat, type Migration, openDatabase } from "./ledger-file.ts";
import { APPLICATION_ID_OF_1X } from "./tables.ts";

test("a program that makes other keys of names refuses the ledger, because it would not find its opt-outs", () => {
  const { path, keysDir } = sealedLedger();
  const database = new Database(path);
  database.exec("UPDATE meta SET name_key_version = name_key_version + 1");
  database.close();
  const sentence =
    /the names of this ledger have keys of version 2, and this program makes keys of version 1/;
  expect(() => openLedgerReader(path)).toThrow(sentence);
  expect(() => openLedgerWriter(path, { keysDir, clock: () => 0 })).toThrow(sentence);
});

const first: Migration = (database) => database.exec("ALTER TABLE meta ADD COLUMN motto TEXT");
const second: Migration = (database) => database.exec("CREATE TABLE mottos (text TEXT) STRICT");
const NEXT = ledgerFormat(LEDGER_FORMAT.version + 2, [first, second]);

function sealedLedger(): TestLedger {
  const ledger = new TestLedger();
  using writer = ledger.writer();
  ledger.appendAt(writer, "2026-05-01T12:00:00Z", 3);
  writer.seal({ now: true });
  return ledger;
}

function openNext({ path, keysDir }: Pick<TestLedger, "path" | "keysDir">, migrations = NEXT.migrations) {
  return openLedgerWriter(path, { keysDir, clock: () => 0, format: { ...NEXT, migrations } });
}

function said(path: string) {
  const database = new Database(path, { readonly: true });
  const names = database.prepare("SELECT name FROM sqlite_schema ORDER BY name").pluck().all();
  const columns = database.prepare("SELECT name FROM pragma_table_info('meta')").pluck().all();
  const version = database.pragma("user_version", { simple: true });
  database.close();
  return { version, hasColumn: columns.includes("motto"), hasTable: names.includes("mottos") };
}

const BEFORE = { version: LEDGER_FORMAT.version, hasColumn: false, hasTable: false };
const BETWEEN = { version: LEDGER_FORMAT.version + 1, hasColumn: true, hasTable: false };
const AFTER = { version: LEDGER_FORMAT.version + 2, hasColumn: true, hasTable: true };

describe("migrations", () => {
  test("run in order when the ledger is opened for writing, and its rows stay", () => {
    using ledger = sealedLedger();
    openNext(ledger).close();
    expect(said(ledger.path)).toEqual(AFTER);
    using writer = openNext(ledger, [
      () => expect.unreachable("once is enough"),
      () => expect.unreachable("once is enough"),
    ]);
    expect([...writer.live.last().hash]).toHaveLength(64);
  });

  test("may add what every ledger must say of itself", () => {
    using ledger = sealedLedger();
    changed(ledger, "ALTER TABLE meta RENAME COLUMN origin TO name");
    const rename: Migration = (database) => database.exec("ALTER TABLE meta RENAME COLUMN name TO origin");
    using writer = openNext(ledger, [rename, second]);
    expect(writer.meta.origin).toBe("example.org/demo");
  });

  test("are not run by a reader, who is told what to do", () => {
    using ledger = sealedLedger();
    expect(() => openDatabase(ledger.path, NEXT)).toThrow(
      /written by an older version of presence .*: run `presence seal` once/,
    );
    expect(said(ledger.path)).toEqual(BEFORE);
  });

  test("one that fails leaves what it found, and the next opening goes on from there", () => {
    using ledger = sealedLedger();
    const failing: Migration = (database) => {
      second(database);
      throw new Error("no room");
    };
    expect(() => openNext(ledger, [first, failing])).toThrow("no room");
    expect(said(ledger.path)).toEqual(BETWEEN);
    openNext(ledger).close();
    expect(said(ledger.path)).toEqual(AFTER);
  });

  test("one that is killed leaves what it found, and the next opening goes on from there", () => {
    using ledger = sealedLedger();
    using killed = sealedLedger();
    const dying: Migration = (database) => {
      database.pragma("cache_size = 1"); // so that what is not committed reaches the files
      second(database);
      database.exec("INSERT INTO mottos SELECT zeroblob(60000) || '' FROM rows");
      for (const end of ["", "-wal"]) copyFileSync(`${ledger.path}${end}`, `${killed.path}${end}`);
    };
    openNext(ledger, [first, dying]).close();
    expect(said(killed.path)).toEqual(BETWEEN);
    openNext({ path: killed.path, keysDir: ledger.keysDir }).close();
    expect(said(killed.path)).toEqual(AFTER);
  });
});

function changed({ path }: TestLedger, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}

test.each([
  [
    "a newer version",
    "PRAGMA user_version = 99",
    /newer version of presence \(format 99; this one reads up to \d+\)/,
  ],
  ["presence 1.x", `PRAGMA application_id = ${APPLICATION_ID_OF_1X}`, /written by presence 1\.x.*start over/],
])("a ledger of %s is refused for reading and writing", (_, sql, sentence) => {
  using ledger = sealedLedger();
  changed(ledger, sql);
  for (const open of [() => openLedgerReader(ledger.path), () => ledger.writer()]) {
    expect(open).toThrow(OtherStoreVersion);
    expect(open).toThrow(sentence);
  }
});
