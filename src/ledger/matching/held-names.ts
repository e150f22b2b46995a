import type Database from "better-sqlite3";
import { Sql } from "../../kernel/sql.ts";
import { type Selected, selection } from "../../kernel/table.ts";
import { heldNames } from "../database/tables.ts";

const DECIDED = selection(heldNames.columns);

/** What a reviewer decided about a held name in a city: later lines of it go the same way. */
export type DecidedName = Selected<typeof DECIDED>;

/** The names are keyed hashes alone. Writes go into a transaction of the ledger's writer. */
export class HeldNames {
  readonly #database: Database.Database;
  readonly #sql: Sql;

  constructor(database: Database.Database) {
    this.#database = database;
    this.#sql = new Sql(database);
  }

  find(key: string): DecidedName | undefined {
    return DECIDED.prepare<[string]>(this.#database, "FROM held_names WHERE key = ?").get(key);
  }

  /** The last decision about a name counts. */
  remember({ key, takes, reviewer, reason, day }: DecidedName): void {
    this.#sql.run(
      "INSERT OR REPLACE INTO held_names VALUES (?, ?, ?, ?, ?)",
      ...[key, takes ? 1 : 0, reviewer, reason, day],
    );
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) this.#sql.run("DELETE FROM held_names WHERE key = ?", key);
  }
}
