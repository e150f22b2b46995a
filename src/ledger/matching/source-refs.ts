import type Database from "better-sqlite3";
import { Sql } from "../../kernel/sql.ts";
import type { IntakeTable } from "./intake-tables.ts";

export interface SourceRef {
  readonly row: number | null; // null: the line is pending, or was dismissed or deleted
  readonly content: Buffer; // keyed hash of the line
}

/** The tables of references, the newest references first. */
export const REF_TABLES = ["recent_refs", "source_refs"] as const satisfies readonly IntakeTable[];

/** So many recent references take some 25 MB, which stays in the page cache. */
const MAX_RECENT = 500_000;

/**
 * The references of all lines ever accepted. Their keys are random: a commit of some thousand lines would write to most pages of a
 * large table. So they come into a small table first, and all of that one go into the large one together, in the order of their keys.
 */
export class SourceRefs {
  readonly #sql: Sql;
  readonly #find: string;
  readonly #add: string;
  readonly #setRow: readonly string[];

  /** `from` and `into` give the SQL name of a table for reading and for writing. */
  constructor(
    database: Database.Database,
    from: (table: IntakeTable) => string = (table) => table,
    into = from,
  ) {
    this.#sql = new Sql(database);
    const found = REF_TABLES.map((table) => `SELECT row, content FROM ${from(table)} WHERE key = ?`);
    this.#find = found.join(" UNION ALL ");
    this.#add = `INSERT INTO ${into("recent_refs")} VALUES (?, NULL, ?)`;
    this.#setRow = REF_TABLES.map((table) => `UPDATE ${into(table)} SET row = ? WHERE key = ?`);
  }

  find(key: Buffer): SourceRef | undefined {
    return this.#sql.get(this.#find, key, key);
  }

  add(key: Buffer, content: Buffer): void {
    this.#sql.run(this.#add, key, content);
  }

  setRow(key: Buffer, row: number): void {
    this.#setRow.some((update) => this.#sql.run(update, row, key) > 0);
  }

  /** Within a transaction: makes room for recent references when they are many. */
  settle(max = MAX_RECENT): void {
    if ((this.#sql.value<number>("SELECT count(*) FROM main.recent_refs") ?? 0) <= max) return;
    this.#sql.run("INSERT INTO main.source_refs SELECT * FROM main.recent_refs ORDER BY key");
    this.#sql.run("DELETE FROM main.recent_refs");
  }
}
