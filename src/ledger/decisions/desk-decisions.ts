import type Database from "better-sqlite3";
import { Sql } from "../../kernel/sql.ts";
import type { RowOf } from "../../kernel/table.ts";
import type { deskDecisions } from "../database/tables.ts";

/** What became of a decision of the review desk. */
export type DeskDecided = Omit<RowOf<(typeof deskDecisions)["columns"]>, "at">;

/** Decisions of the review desk that were taken, so that none is taken twice. Writes go into the transaction that appends their rows. */
export class DeskDecisions {
  readonly #sql: Sql;

  constructor(database: Database.Database) {
    this.#sql = new Sql(database);
  }

  /** Whether it was taken before. A desk that hands it over once more missed the answer, so it is one of the latest again. */
  isKnown(id: string, now: number): boolean {
    return this.#sql.run("UPDATE desk_decisions SET at = ? WHERE id = ?", now, id) > 0;
  }

  note({ id, outcome, row }: DeskDecided, at: number): void {
    this.#sql.run(
      "INSERT INTO desk_decisions (id, outcome, row, at) VALUES (?, ?, ?, ?)",
      id,
      outcome,
      row,
      at,
    );
  }

  /** The newest first. */
  latest(limit: number): DeskDecided[] {
    return this.#sql.all("SELECT id, outcome, row FROM desk_decisions ORDER BY at DESC, id LIMIT ?", limit);
  }

  forget(before: number): void {
    this.#sql.run("DELETE FROM desk_decisions WHERE at < ?", before);
  }
}
