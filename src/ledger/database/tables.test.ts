import { expect, test } from "vitest";
import { testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { LEDGER_TABLES } from "./tables.ts";

test("the file has the columns that are declared, and no others", () => {
  using ledger = new TestLedger();
  using writer = ledger.writer();
  const tables = rawLedger(writer)
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck();
  const columns = rawLedger(writer)
    .prepare<[string], string>("SELECT name FROM pragma_table_info(?) ORDER BY cid")
    .pluck();
  const schema = Object.fromEntries(tables.all().map((table) => [table, columns.all(table)]));
  expect(schema).toEqual(Object.fromEntries(LEDGER_TABLES.map(({ name, names }) => [name, names])));
});

test("tables are STRICT", () => {
  using ledger = new TestLedger();
  using writer = ledger.writer();
  const lax = rawLedger(writer)
    .prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND NOT strict AND name NOT LIKE 'sqlite_%'",
    )
    .pluck();
  expect(lax.all()).toEqual([]);
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
