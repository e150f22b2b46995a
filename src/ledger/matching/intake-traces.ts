import type Database from "better-sqlite3";
import { AMONG, Sql } from "../database/sql.ts";
import type { OptOutEntries } from "./intake-store.ts";

/** What the look-up tables of intake (`IntakeStore`) hold about rows that are to be erased. */
export class IntakeTraces {
  readonly #sql: Sql;

  constructor(database: Database.Database) {
    this.#sql = new Sql(database);
  }

  /**
   * Within a transaction of the writer: what is kept of erased rows beside what they taught, and what intake refuses from `now` (ms) on;
   * what expired by then goes, too. Keyed hashes of source references stay: they refuse the same line again.
   */
  remove(rows: readonly number[], optOuts: OptOutEntries | undefined, now: number): void {
    this.#sql.run(`DELETE FROM online_checks WHERE record ${AMONG}`, rows);
    if (optOuts !== undefined) this.#addOptOut(optOuts);
    this.#sql.run("DELETE FROM opt_out_facts WHERE expires_at <= ?", now);
  }

  #addOptOut({ names, facts, words }: OptOutEntries): void {
    for (const key of names) this.#sql.run("INSERT OR IGNORE INTO opt_outs VALUES (?)", key);
    for (const { key, optOut, weight, assetType, expiresAt } of facts)
      this.#sql.run(
        "INSERT OR IGNORE INTO opt_out_facts VALUES (?, ?, ?, ?, ?)",
        ...[key, optOut, weight, assetType, expiresAt],
      );
    for (const { optOut, name, word, key } of words)
      this.#sql.run("INSERT OR IGNORE INTO opt_out_words VALUES (?, ?, ?, ?)", optOut, name, word, key);
  }
}
