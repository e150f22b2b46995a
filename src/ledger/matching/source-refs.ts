import type Database from "better-sqlite3";
import { statements } from "../database/statements.ts";
import type { SourceRef } from "./intake-store.ts";
import type { IntakeTable } from "./intake-tables.ts";

/** The tables of references, the newest references first. */
export const REF_TABLES = ["recent_refs", "source_refs"] as const satisfies readonly IntakeTable[];

/** So many recent references take some 25 MB, which stays in the page cache. */
const MAX_RECENT = 500_000;

/**
 * The references of all lines ever accepted. Their keys are random: a commit of some thousand lines would write to most pages of a
 * large table. So they come into a small table first, and all of that one go into the large one together, in the order of their keys.
 */
export class SourceRefs {
  readonly find: (key: Buffer) => SourceRef | undefined;
  readonly add: (key: Buffer, content: Buffer) => void;
  readonly #setRow: readonly Database.Statement<[number, Buffer]>[];
  readonly #recent: () => number | undefined;
  readonly #merge: () => void;
  readonly #empty: () => void;

  /** `from` and `into` give the SQL name of a table for reading and for writing. */
  constructor(
    database: Database.Database,
    from: (table: IntakeTable) => string,
    into: (table: IntakeTable) => string,
  ) {
    const { get, run, value } = statements(database);
    const found = get<[Buffer, Buffer], SourceRef>(
      REF_TABLES.map((table) => `SELECT row, content FROM ${from(table)} WHERE key = ?`).join(" UNION ALL "),
    );
    this.find = (key) => found(key, key);
    this.add = run(`INSERT INTO ${into("recent_refs")} VALUES (?, NULL, ?)`);
    this.#setRow = REF_TABLES.map((table) =>
      database.prepare<[number, Buffer]>(`UPDATE ${into(table)} SET row = ? WHERE key = ?`),
    );
    this.#recent = value("SELECT count(*) FROM main.recent_refs");
    this.#merge = run("INSERT INTO main.source_refs SELECT * FROM main.recent_refs ORDER BY key");
    this.#empty = run("DELETE FROM main.recent_refs");
  }

  setRow(key: Buffer, row: number): void {
    for (const update of this.#setRow) if (update.run(row, key).changes > 0) return;
  }

  /** Within a transaction: makes room for recent references when they are many. */
  settle(max = MAX_RECENT): void {
    if ((this.#recent() ?? 0) <= max) return;
    this.#merge();
    this.#empty();
  }
}

/** The row of an accepted line; undefined when it never came. For a reader too. */
export function refRow(
  database: Database.Database,
  key: Buffer,
): { readonly row: number | null } | undefined {
  for (const table of REF_TABLES) {
    const found = database
      .prepare<[Buffer], { row: number | null }>(`SELECT row FROM ${table} WHERE key = ?`)
      .get(key);
    if (found !== undefined) return found;
  }
  return undefined;
}
