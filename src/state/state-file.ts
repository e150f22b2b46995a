import { existsSync } from "node:fs";
import Database from "better-sqlite3";

/** Facts about a `state.db`, read without opening the state. */
export interface StateFile {
  /** The newest migration that it has. */
  readonly version: string;
  /** Identifies the key it belongs to (state-key.ts). */
  readonly keyCheck: string;
}

/** Undefined when there is none, or when it is being made just now. Nothing is brought up to date. */
export function readStateFile(path: string): StateFile | undefined {
  if (!existsSync(path)) return undefined;
  const database = new Database(path, { readonly: true });
  try {
    const tables = database
      .prepare("SELECT 1 FROM sqlite_schema WHERE name IN ('store', 'kysely_migration')")
      .all();
    if (tables.length < 2) return undefined;
    return database
      .prepare<[], StateFile>(
        "SELECT (SELECT max(name) FROM kysely_migration) AS version, key_check AS keyCheck FROM store",
      )
      .get();
  } finally {
    database.close();
  }
}
