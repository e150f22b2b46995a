import type { Database } from "better-sqlite3";
import { PUBLIC_COLUMNS } from "../schema.ts";

/** What SQLite stores; objects and lists go in as JSON text. */
export type SqlValue = string | number | Uint8Array | null;

/** Inserts rows into a table of the snapshot, the values in the order of its columns. */
export function inserter(db: Database, table: string): (values: readonly SqlValue[]) => void {
  const columns = (PUBLIC_COLUMNS[table] ?? "").split(" ");
  const insert = db.prepare(
    `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
  );
  return (values) => {
    insert.run(values);
  };
}
