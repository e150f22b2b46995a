import { expect, test } from "vitest";
import { homePaths } from "../../kernel/home.ts";
import { sighting, testLedger } from "../../testing/ledger/intake-ledger.ts";
import { openRawWriter, rawLedger } from "../../testing/ledger/raw-ledger.ts";
import type { LedgerWriter } from "../writer.ts";
import { createPendingTables } from "./pending-tables.ts";

/** A ledger as the version before pending lines left it: a table of held lines. */
const HELD = `DROP TABLE pending; DROP TABLE intake_batches;
  CREATE TABLE held (key BLOB PRIMARY KEY, held_at INTEGER NOT NULL, reason TEXT NOT NULL, input TEXT NOT NULL) STRICT, WITHOUT ROWID;`;
const HELD_AT = Date.parse("2026-05-09T17:30:00Z");

test("lines that an earlier version held are carried over, once", async () => {
  using it = testLedger();
  const input = sighting("old", { name: "Restaurant" });
  const key = Buffer.alloc(16, 7);
  rawLedger(it.ledger).exec(HELD);
  rawLedger(it.ledger)
    .prepare("INSERT INTO held VALUES (?, ?, 'generic_name', ?)")
    .run(key, HELD_AT, JSON.stringify(input));
  it.ledger.close();
  const options = { keysDir: homePaths(it.home).keys, clock: () => HELD_AT };
  const path = homePaths(it.home).ledger;
  openRawWriter(path, options).close();
  using ledger = openRawWriter(path, options);
  const stored = rawLedger(ledger).prepare("SELECT * FROM pending").all();
  expect(stored).toEqual([
    {
      id: 1,
      source: "scout",
      batch: "b0",
      line: 1,
      state: "held",
      day: Date.parse("2026-05-09T00:00:00Z"),
      key,
      reason: "generic_name",
      review: null,
      input: JSON.stringify(input),
    },
  ]);
  expect(ledger.deskRows.heldLines().map((line) => line.key)).toEqual([key.toString("hex")]);
  expect(rawLedger(ledger).prepare("SELECT 1 FROM sqlite_schema WHERE name = 'held'").get()).toBeUndefined();
});

test("the queries of pending lines use their indexes", () => {
  using it = testLedger();
  const plan = (sql: string) =>
    rawLedger(it.ledger)
      .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail)
      .join("; ");
  const open = "state <> 'held' AND state <> 'held_back'";
  expect(plan(`SELECT id FROM pending WHERE ${open} AND day = 1 ORDER BY key`)).toContain(
    "SEARCH pending USING INDEX pending_by_day (day=?)",
  );
  expect(plan(`SELECT min(day) FROM pending WHERE ${open} AND day <= 1`)).toContain("pending_by_day");
  expect(plan(`SELECT count(*) FROM pending WHERE ${open}`)).toContain("USING COVERING INDEX");
  expect(
    plan("SELECT key FROM pending WHERE state <> 'waiting' AND state <> 'held_back' ORDER BY day, key"),
  ).toContain("pending_reviewed");
  expect(plan("SELECT count(*) FROM pending WHERE batch = 'b1' AND state = 'waiting'")).toContain(
    "COVERING INDEX pending_of_batch",
  );
});

/** The table of pending lines before batches could be held back. */
const BEFORE = `DROP TABLE batches; DROP TABLE batch_lines; DROP TABLE batch_rows;
  CREATE TABLE renewed (
    id INTEGER PRIMARY KEY, source TEXT NOT NULL, batch TEXT NOT NULL, line INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'held', 'admitted')), day INTEGER NOT NULL, key BLOB NOT NULL,
    reason TEXT, review TEXT, input TEXT NOT NULL) STRICT;
  INSERT INTO renewed SELECT * FROM pending;
  DROP TABLE pending;
  ALTER TABLE renewed RENAME TO pending;
  CREATE INDEX pending_in_order ON pending (day, key) WHERE state <> 'held';
  CREATE INDEX pending_reviewed ON pending (key) WHERE state <> 'waiting';`;

test("a ledger without batches gets them, with those of its pending lines", async () => {
  using it = testLedger();
  await it.accept([sighting("a"), sighting("b", { source: null })]);
  const asNew = pendingSchema(it.ledger);
  rawLedger(it.ledger).exec(BEFORE);
  expect(pendingSchema(it.ledger)).not.toEqual(asNew);
  it.ledger.close();
  const options = { keysDir: homePaths(it.home).keys, clock: () => it.clock.time };
  using ledger = openRawWriter(homePaths(it.home).ledger, options);
  expect(pendingSchema(ledger)).toEqual(asNew);
  expect(ledger.batches.list(9)).toMatchObject([
    { name: "b1", file: "(ingested before batches were kept)", read: 2, accepted: 2, decision: null },
  ]);
  expect(ledger.batches.linesOf(["b1"]).map(({ source, lines }) => [source, lines])).toEqual([
    ["built-in scout", 1],
    ["scout", 1],
  ]);
  expect(ledger.batches.left("b1")).toEqual({ waiting: 2, held: 0, heldBack: 0, rows: 0 });
});

test("a table that checks states by a list is made anew, with its lines", async () => {
  using it = testLedger();
  await it.accept([sighting("a"), sighting("b")]);
  const lines = () => rawLedger(it.ledger).prepare("SELECT * FROM pending ORDER BY id").all();
  const [asNew, before] = [pendingSchema(it.ledger), lines()];
  rawLedger(it.ledger).exec(LISTED);
  expect(pendingSchema(it.ledger)).not.toEqual(asNew);
  createPendingTables(rawLedger(it.ledger));
  expect(pendingSchema(it.ledger)).toEqual(asNew);
  expect(lines()).toEqual(before);
});

/** The table of pending lines with the first form of its check. */
const LISTED = `ALTER TABLE pending RENAME TO listed;
  CREATE TABLE pending (
    id INTEGER PRIMARY KEY, source TEXT NOT NULL, batch TEXT NOT NULL, line INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'held', 'admitted', 'held_back')), day INTEGER NOT NULL,
    key BLOB NOT NULL, reason TEXT, review TEXT, input TEXT NOT NULL) STRICT;
  INSERT INTO pending SELECT * FROM listed;
  DROP TABLE listed;
  CREATE INDEX pending_by_day ON pending (day, state) WHERE state <> 'held' AND state <> 'held_back';
  CREATE INDEX pending_reviewed ON pending (key) WHERE state <> 'waiting' AND state <> 'held_back';
  CREATE INDEX pending_of_batch ON pending (batch, state);`;

function pendingSchema(ledger: LedgerWriter): unknown {
  return rawLedger(ledger)
    .prepare(
      "SELECT name, replace(sql, '\"pending\"', 'pending') FROM sqlite_schema WHERE tbl_name LIKE 'pending%' ORDER BY name",
    )
    .all();
}
