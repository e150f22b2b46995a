import { expect, test } from "vitest";
import { sighting, testLedger } from "../../testing/ledger/intake-ledger.ts";
import { openRawWriter, rawLedger } from "../../testing/ledger/raw-ledger.ts";

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
  const options = { keysDir: `${it.home}/keys`, clock: () => HELD_AT };
  const path = `${it.home}/ledger.db`;
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
  const open = "state <> 'held'";
  expect(plan(`SELECT id, input FROM pending WHERE ${open} AND day = 1 ORDER BY key LIMIT 5`)).toBe(
    "SEARCH pending USING INDEX pending_in_order (day=?)",
  );
  expect(plan(`SELECT min(day) FROM pending WHERE ${open} AND day <= 1`)).toContain("pending_in_order");
  expect(plan(`SELECT count(*) FROM pending WHERE ${open}`)).toContain("pending_in_order");
  expect(plan("SELECT key FROM pending WHERE state <> 'waiting' ORDER BY day, key")).toContain(
    "pending_reviewed",
  );
});
