import { existsSync, readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { TestLedger } from "../../tests/support/ledger/small-ledger.ts";
import { checkNextShare, keepCheckedShare } from "./ledger-share.ts";

const homeOf = (ledger: TestLedger) => ({ ledgerCheck: `${ledger.folder}/ledger-check.json` });

test("a small ledger is checked whole each time, whatever the file says", () => {
  using ledger = new TestLedger();
  ledger.sealAt("2026-05-01T12:00:00Z");
  const home = homeOf(ledger);
  using reader = ledger.reader();
  const sealedRows = reader.latestCheckpoint()?.size ?? 0;
  const share = checkNextShare(reader, home);
  expect(share).toEqual({ after: 0, checkedTo: sealedRows, sealedRows });
  expect(existsSync(home.ledgerCheck)).toBe(false);
  keepCheckedShare(home, share);
  expect(JSON.parse(readFileSync(home.ledgerCheck, "utf8"))).toEqual({ checked_to: sealedRows });
  for (const text of ['{"checked_to": -1}', "{", '{"checked_to": "x"}', '{"checked_to": 1e300}', ""]) {
    writeFileSync(home.ledgerCheck, text);
    expect(checkNextShare(reader, home)).toEqual(share);
  }
});

/** Ten checkpoints of 11 rows each. */
function longLedger(): TestLedger {
  const ledger = new TestLedger();
  using writer = ledger.writer();
  for (let day = 0; day < 10; day += 1) {
    ledger.appendAt(writer, `2026-05-${10 + day}T12:00:00Z`, 10);
    writer.seal({ now: true });
  }
  return ledger;
}

const never = () => false;

test("shares end at checkpoints, follow each other, and go round", () => {
  using ledger = longLedger();
  using reader = ledger.reader();
  const ends: number[] = [];
  for (let turn = 0, after = 0; turn < 5; turn += 1) {
    after = reader.checkRows({ after: after === 110 ? 0 : after, rows: 30, isLate: never });
    ends.push(after);
  }
  expect(ends).toEqual([33, 66, 99, 110, 33]);
  expect(reader.checkRows({ after: 0, rows: Infinity, isLate: () => true })).toBe(11);
  expect(reader.checkRows({ after: 5, rows: 1, isLate: never })).toBe(11); // 5 is no checkpoint
});

test("a changed byte is found in the share that has its row, in body, digest, leaf and private values", () => {
  for (const sql of [
    "UPDATE openings SET body = replace(body, 'claimed', 'verified') WHERE row = 40",
    "UPDATE rows SET leaf_hash = zeroblob(32) WHERE id = 40",
    "UPDATE openings SET private = replace(private, 'ref 40', 'ref 41') WHERE row = 40",
    "UPDATE openings SET private = '{' WHERE row = 40",
  ]) {
    using ledger = longLedger();
    const database = new Database(ledger.path);
    database.exec(sql);
    database.close();
    using reader = ledger.reader();
    expect(() => reader.checkRows({ after: 33, rows: 1, isLate: never }), sql).toThrow(/^row 40: /);
    expect(reader.checkRows({ after: 0, rows: 30, isLate: never })).toBe(33);
    expect(reader.checkRows({ after: 44, rows: Infinity, isLate: never })).toBe(110);
  }
});
