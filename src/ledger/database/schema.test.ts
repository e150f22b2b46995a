import { expect, test } from "vitest";
import { TestLedger } from "../../testing/ledger/small-ledger.ts";
import { INTAKE_INDEX_COLUMNS, IntakeIndex } from "../matching/intake-index.ts";
import { LEDGER_COLUMNS } from "./schema.ts";

test("every column of the file is marked public or private, and every mark has its column", () => {
  using ledger = new TestLedger();
  using writer = ledger.writer();
  new IntakeIndex(writer.index);
  const tables = writer.index
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck();
  const columns = writer.index
    .prepare<[string], string>("SELECT name FROM pragma_table_info(?) ORDER BY cid")
    .pluck();
  const schema = Object.fromEntries(tables.all().map((table) => [table, columns.all(table)]));
  const marks = Object.entries({ ...LEDGER_COLUMNS, ...INTAKE_INDEX_COLUMNS });
  expect(schema).toEqual(Object.fromEntries(marks.map(([table, marked]) => [table, Object.keys(marked)])));
});

test("tables are STRICT", () => {
  using ledger = new TestLedger();
  using writer = ledger.writer();
  new IntakeIndex(writer.index);
  const lax = writer.index
    .prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND NOT strict AND name NOT LIKE 'sqlite_%'",
    )
    .pluck();
  expect(lax.all()).toEqual([]);
});
