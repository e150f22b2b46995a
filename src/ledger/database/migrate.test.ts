import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { OperatorError } from "../../kernel/errors.ts";
import { TestLedger } from "../../testing/ledger/small-ledger.ts";
import { openLedgerReader } from "../reader.ts";
import { ledgerShape, shapeChanges } from "./describe.ts";
import { FORMAT_VERSION } from "./schema.ts";

/** Makes the file what format 1 was: without the table of keys, and with the older table of external proofs. */
function toFormat1({ path }: TestLedger): void {
  const database = new Database(path);
  database.exec(`
    DROP TABLE signing_keys;
    DROP TABLE external_proofs;
    CREATE TABLE external_proofs (
      size INTEGER NOT NULL REFERENCES checkpoints (size),
      provider TEXT NOT NULL,
      status TEXT NOT NULL,
      token BLOB,
      sha256 TEXT,
      verified_at INTEGER,
      PRIMARY KEY (size, provider)
    ) STRICT;
    PRAGMA user_version = 1;`);
  database.close();
}

function sealedLedger(): TestLedger {
  const ledger = new TestLedger();
  using writer = ledger.writer();
  ledger.appendAt(writer, "2026-05-01T12:00:00Z", 3);
  writer.seal({ now: true });
  return ledger;
}

function schemaOf({ path }: TestLedger): unknown {
  const database = new Database(path, { readonly: true });
  const tables = database
    .prepare<[], { name: string }>("SELECT name, sql FROM sqlite_schema ORDER BY name")
    .all();
  const version = database.pragma("user_version", { simple: true });
  database.close();
  return { tables, version };
}

test("a writer brings format 1 to the present one, and the tables are those of a new ledger", () => {
  using ledger = sealedLedger();
  const [asNew, started] = [schemaOf(ledger), Date.parse("2026-05-01T12:00:00Z")];
  toFormat1(ledger);
  expect(schemaOf(ledger)).not.toEqual(asNew);
  {
    using writer = ledger.writer();
    expect(writer.keyRing().all()).toMatchObject([
      { vkey: writer.meta.vkey, fromSize: 0, createdAt: started },
    ]);
    ledger.appendAt(writer, "2026-05-01T13:00:00Z", 2);
    writer.seal({ now: true });
  }
  expect(schemaOf(ledger)).toEqual(asNew);
  using reader = ledger.reader();
  expect(reader.checkpoints().map(({ size }) => size)).toEqual([4, 7]);
  expect(Array.from(reader.verifiedRows(7))).toHaveLength(7);
});

test("a reader of format 1 is told which command to run, and leaves the file as it is", () => {
  using ledger = sealedLedger();
  toFormat1(ledger);
  const before = schemaOf(ledger);
  expect(() => openLedgerReader(ledger.path)).toThrow(OperatorError);
  expect(() => openLedgerReader(ledger.path)).toThrow(/ledger format 1 .* run `presence seal` once/);
  expect(schemaOf(ledger)).toEqual(before);
});

test("a migration that fails half-way leaves format 1", () => {
  using ledger = sealedLedger();
  toFormat1(ledger);
  const database = new Database(ledger.path);
  database.exec("CREATE TABLE signing_keys (id)"); // in the way of the second statement
  database.close();
  const before = schemaOf(ledger);
  expect(() => ledger.writer()).toThrow("signing_keys already exists");
  expect(schemaOf(ledger)).toEqual(before);
});

test("format 2 is read as it is, and becomes the present one with the first writer", () => {
  using ledger = sealedLedger();
  const asNew = schemaOf(ledger);
  const database = new Database(ledger.path);
  database.pragma("user_version = 2");
  database.close();
  openLedgerReader(ledger.path).close();
  expect(ledgerShape(ledger.path).format).toBe(2);
  const before = ledgerShape(ledger.path);
  ledger.writer().close();
  expect(schemaOf(ledger)).toEqual(asNew);
  expect(shapeChanges(before, ledgerShape(ledger.path))).toEqual([`format 2 becomes ${FORMAT_VERSION}`]);
});

test("the index of kinds of earlier versions gives way to the present one, without which readers find the same", () => {
  using ledger = sealedLedger();
  const asNew = schemaOf(ledger);
  const database = new Database(ledger.path);
  database.exec(`DROP INDEX rows_of_kinds;
    CREATE INDEX rows_by_kind ON rows (kind, id) WHERE kind IN ('seal', 'redaction', 'opt_out');`);
  database.close();
  expect(schemaOf(ledger)).not.toEqual(asNew);
  expect(sealsOf(ledger)).toBe(1);
  ledger.writer().close();
  expect(schemaOf(ledger)).toEqual(asNew);
  expect(sealsOf(ledger)).toBe(1);
});

function sealsOf({ path }: TestLedger): number {
  using reader = openLedgerReader(path);
  return reader.seals(Number.MAX_SAFE_INTEGER).length;
}

test("a newer format is refused for reading and writing, with the cure", () => {
  using ledger = sealedLedger();
  const database = new Database(ledger.path);
  database.pragma("user_version = 99");
  database.close();
  for (const open of [() => openLedgerReader(ledger.path), () => ledger.writer()])
    expect(open).toThrow(/ledger format 99, .* a newer version used the ledger; run that one/);
});
