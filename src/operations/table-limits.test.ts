import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { TestLedger } from "../../tests/support/ledger/small-ledger.ts";
import { PROJECT } from "../../tests/support/operations/presence-process.ts";
import { TestState } from "../../tests/support/state/stores.ts";
import type { TableLimit } from "../kernel/table.ts";
import { LEDGER_LIMITS } from "../ledger/database/table-limits.ts";
import { STATE_TABLES } from "../state/tables.ts";

const TABLES = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`;

function tablesOf(path: string): unknown[] {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare(TABLES).pluck().all();
  } finally {
    db.close();
  }
}

test("every table of state and ledger has a limit and a retention", async () => {
  await using state = await TestState.open("sqlite");
  expect(Object.keys(STATE_TABLES).sort()).toEqual(tablesOf(state.home.state));
  expect(Object.values(STATE_TABLES).map(({ name }) => name)).toEqual(Object.keys(STATE_TABLES));
  using ledger = new TestLedger();
  ledger.writer().close();
  expect(Object.keys(LEDGER_LIMITS).sort()).toEqual(tablesOf(ledger.path));
});

test("the manual lists them", () => {
  const manual = readFileSync(join(PROJECT, "docs/operations/databases.md"), "utf8");
  const lines = (limits: readonly (readonly [string, TableLimit | undefined])[]) =>
    limits.map(([name, bound]) => `| \`${name}\` | ${bound?.limit} | ${bound?.kept} |`);
  const missing = [
    ...lines(Object.values(STATE_TABLES).map(({ name, bound }) => [name, bound])),
    ...lines(Object.entries(LEDGER_LIMITS)),
  ].filter((line) => !manual.includes(line));
  expect(missing).toEqual([]);
});
