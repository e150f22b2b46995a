import type Database from "better-sqlite3";
import { openLedgerFile } from "./meta.ts";
import { formatOf } from "./migrate.ts";

/** What a migration can change of a ledger file. */
export interface LedgerShape {
  readonly format: number;
  /** Columns by table. */
  readonly tables: ReadonlyMap<string, readonly string[]>;
  readonly rows: number;
}

/** Describes a ledger of any format, without migrating it. Throws OperatorError for a missing or another file. */
export function ledgerShape(path: string): LedgerShape {
  const database = openLedgerFile(path, { readonly: true });
  try {
    const format = formatOf(database);
    const rows = database.prepare<[], number>("SELECT count(*) FROM rows").pluck().get() ?? 0;
    return { format, tables: tablesOf(database), rows };
  } finally {
    database.close();
  }
}

function tablesOf(database: Database.Database): Map<string, string[]> {
  const columns = database
    .prepare<[], { name: string; column: string }>(
      `SELECT tables.name, info.name AS column FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS info
       WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%' ORDER BY tables.name, info.cid`,
    )
    .all();
  const byTable = Map.groupBy(columns, ({ name }) => name);
  return new Map(Array.from(byTable, ([name, all]) => [name, all.map(({ column }) => column)]));
}

/** What was done between two shapes, a sentence each. */
export function shapeChanges(before: LedgerShape, after: LedgerShape): string[] {
  const changes = [];
  if (before.format !== after.format) changes.push(`format ${before.format} becomes ${after.format}`);
  for (const [table, columns] of after.tables) {
    const known = before.tables.get(table);
    if (known === undefined) changes.push(`the table ${table} is made`);
    else
      for (const column of columns.filter((each) => !known.includes(each)))
        changes.push(`the table ${table} gets the column ${column}`);
  }
  for (const table of before.tables.keys())
    if (!after.tables.has(table)) changes.push(`the table ${table} is dropped`);
  return changes;
}
