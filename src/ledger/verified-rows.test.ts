import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { rawLedger } from "../../tests/support/ledger/raw-ledger.ts";
import { TestLedger } from "../../tests/support/ledger/small-ledger.ts";
import { OperatorError } from "../kernel/errors.ts";
import { seededBytes } from "../kernel/seeded.ts";
import { commit } from "./rows/digests.ts";

const SIZE = 31;

/** Rows 1 to 10 and their seal, then 12 to 30 and theirs. */
function sealedLedger(): TestLedger {
  const ledger = new TestLedger();
  using writer = ledger.writer();
  ledger.appendAt(writer, "2026-05-01T12:00:00Z", 10);
  writer.seal({ now: true });
  ledger.appendAt(writer, "2026-05-01T13:00:00Z", 19);
  writer.seal({ now: true });
  return ledger;
}

function change(ledger: TestLedger, work: (database: Database.Database) => void): void {
  const database = new Database(ledger.path);
  work(database);
  database.close();
}

function readAll(ledger: TestLedger, upTo = SIZE): unknown[] {
  using reader = ledger.reader();
  return Array.from(reader.verifiedRows(upTo));
}

test("an intact ledger reads whole, at every signed size", () => {
  using ledger = sealedLedger();
  const rows = readAll(ledger);
  expect(rows).toHaveLength(SIZE);
  expect(rows[0]).toMatchObject({ id: 1, kind: "status", body: { record: 1, status: "claimed" } });
  expect(rows[10]).toMatchObject({ id: 11, kind: "seal", body: { leaf_count: 10 } });
  expect(readAll(ledger, 11)).toEqual(rows.slice(0, 11));
  expect(readAll(ledger, 0)).toEqual([]);
  expect(() => readAll(ledger, 12)).toThrow("there is no signed checkpoint of 12 rows");
  expect(() => readAll(ledger, 99)).toThrow("there is no signed checkpoint of 99 rows");
});

test("more rows than one chunk", () => {
  using ledger = new TestLedger();
  {
    using writer = ledger.writer();
    ledger.appendAt(writer, "2026-05-01T12:00:00Z", 4321);
    writer.seal({ now: true });
  }
  expect(readAll(ledger, 4322)).toHaveLength(4322);
});

describe("a changed ledger is refused, and the row is named", () => {
  test.each([
    [
      "body",
      `UPDATE openings SET body = replace(body, '"claimed"', '"verified"') WHERE row = 13`,
      /^row 13: its body or salt/,
    ],
    [
      "spelling of a body",
      `UPDATE openings SET body = body || ' ' WHERE row = 13`,
      /^row 13: its body or salt/,
    ],
    [
      "salt",
      "UPDATE openings SET salts = CAST(zeroblob(16) || substr(salts, 17) AS BLOB) WHERE row = 7",
      /^row 7: its body or salt/,
    ],
    [
      "digest",
      "UPDATE rows SET digests = CAST(zeroblob(32) || substr(digests, 33) AS BLOB) WHERE id = 9",
      /^row 9: its leaf hash/,
    ],
    ["leaf hash", "UPDATE rows SET leaf_hash = zeroblob(32) WHERE id = 20", /^row 20: its leaf hash/],
    ["kind", "UPDATE rows SET kind = 'city' WHERE id = 5", /^row 5: its leaf hash/],
    ["time", "UPDATE rows SET accepted_at = accepted_at - 1 WHERE id = 6", /^row 6: it was accepted before/],
    ["deleted row", "DELETE FROM rows WHERE id = 15", /^row 15: it is missing/],
    ["deleted last row", "DELETE FROM rows WHERE id = 31", /^row 31: it is missing/],
    ["deleted opening", "DELETE FROM openings WHERE row = 4", /^row 4: silent omission/],
    [
      "swapped rows",
      `UPDATE rows SET id = -1 WHERE id = 2; UPDATE rows SET id = 2 WHERE id = 3; UPDATE rows SET id = 3 WHERE id = -1;
       UPDATE openings SET row = -1 WHERE row = 2; UPDATE openings SET row = 2 WHERE row = 3; UPDATE openings SET row = 3 WHERE row = -1`,
      /^row 2: its leaf hash/,
    ],
    ["shifted ids", "UPDATE rows SET id = 100 WHERE id = 31", /^row 31: it is missing/],
  ])("%s", (_, sql, message) => {
    using ledger = sealedLedger();
    change(ledger, (database) => database.exec(sql));
    expect(() => readAll(ledger)).toThrow(OperatorError);
    expect(() => readAll(ledger)).toThrow(message);
  });

  test("a row replaced with all its hashes is found by the signed root", () => {
    using ledger = sealedLedger();
    change(ledger, (database) => {
      const json = '{"record":99,"status":"verified"}';
      const forged = commit(20, "status", json, undefined, seededBytes("forger"));
      database
        .prepare("UPDATE rows SET digests = ?, leaf_hash = ? WHERE id = 20")
        .run(forged.digests, forged.leafHash);
      database
        .prepare("UPDATE openings SET salts = ?, body = ?, private = NULL WHERE row = 20")
        .run(forged.salts, json);
    });
    expect(() => readAll(ledger)).toThrow(/^row 12 to 31: one of them is not the row that was signed/);
    expect(readAll(ledger, 11)).toHaveLength(11);
  });

  test.each([
    [
      "root",
      "UPDATE checkpoints SET root = zeroblob(32) WHERE size = 11",
      "checkpoint 11: the root is not the signed one",
    ],
    [
      "note",
      "UPDATE checkpoints SET note = replace(note, '11', '10') WHERE size = 11",
      "checkpoint 11: wrong signature",
    ],
    ["size", "UPDATE checkpoints SET size = 12 WHERE size = 11", "checkpoint 12: the signed size is 11"],
    [
      "frontier",
      "UPDATE checkpoints SET frontier = zeroblob(96) WHERE size = 11",
      "checkpoint 11: the right edge",
    ],
    [
      "key id",
      "UPDATE checkpoints SET key_id = '00000000' WHERE size = 11",
      "checkpoint 11: the key id is not the signer's",
    ],
    [
      "key",
      "UPDATE meta SET vkey = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'",
      "not the key that the ledger began with",
    ],
  ])("checkpoint %s", (_, sql, message) => {
    using ledger = sealedLedger();
    change(ledger, (database) => database.exec(sql));
    expect(() => readAll(ledger)).toThrow(message);
  });
});

describe("redacted rows", () => {
  /** Redacts row 4 as row 32, sealed as 33. */
  function redactedLedger(): TestLedger {
    const ledger = sealedLedger();
    using writer = ledger.writer();
    writer.transaction(() => {
      writer.append({ kind: "redaction", body: { rows: [4] }, private: { reason: "privacy_request" } });
      rawLedger(writer).exec("CREATE TABLE backup AS SELECT * FROM openings WHERE row = 4");
      rawLedger(writer).exec("DELETE FROM openings WHERE row = 4");
    });
    writer.seal({ now: true });
    return ledger;
  }

  test("have no body, and their leaf stays", () => {
    using ledger = redactedLedger();
    const rows = readAll(ledger, 33);
    expect(rows[3]).toMatchObject({ id: 4, kind: "status", body: undefined });
    expect(rows).toHaveLength(33);
  });

  test("are not excused by a redaction that came before them", () => {
    using ledger = sealedLedger();
    {
      using writer = ledger.writer();
      writer.transaction(() =>
        writer.append({ kind: "redaction", body: { rows: [33] }, private: { reason: "safety" } }),
      );
      ledger.appendAt(writer, "2026-05-01T14:00:00Z", 1);
      writer.seal({ now: true });
      rawLedger(writer).exec("DELETE FROM openings WHERE row = 33");
    }
    expect(() => readAll(ledger, 34)).toThrow(/^row 33: silent omission/);
  });

  test("stop an earlier release with the reason", () => {
    using ledger = redactedLedger();
    expect(() => readAll(ledger, SIZE)).toThrow("row 4: redacted later, by row 32");
  });

  test("whose values came back from a backup are not published", () => {
    using ledger = redactedLedger();
    change(ledger, (database) => database.exec("INSERT INTO openings SELECT * FROM backup"));
    expect(() => readAll(ledger, 33)).toThrow(/^row 4: redacted by row 32, but its values are still there/);
  });
});
