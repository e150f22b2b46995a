import { expect, test } from "vitest";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { INTAKE_COLUMNS } from "../matching/intake-tables.ts";
import { LEDGER_COLUMNS } from "./schema.ts";

test("every column of the file is marked public or private, and every mark has its column", () => {
  using ledger = new TestLedger();
  using writer = ledger.writer();
  const tables = rawLedger(writer)
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck();
  const columns = rawLedger(writer)
    .prepare<[string], string>("SELECT name FROM pragma_table_info(?) ORDER BY cid")
    .pluck();
  const schema = Object.fromEntries(tables.all().map((table) => [table, columns.all(table)]));
  const marks = Object.entries({ ...LEDGER_COLUMNS, ...INTAKE_COLUMNS });
  expect(schema).toEqual(Object.fromEntries(marks.map(([table, marked]) => [table, Object.keys(marked)])));
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
