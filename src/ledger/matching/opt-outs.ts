import type Database from "better-sqlite3";
import { AMONG, Sql } from "../../kernel/sql.ts";
import type { IntakeTable } from "./intake-tables.ts";

/**
 * What intake remembers of opt-outs: keyed hashes alone, so the list names nobody. A fact is a name, a contact, an address, a
 * reference or a place; the words of an opted-out name are hashed under its opt-out's own id, so that equal words of two
 * opt-outs have nothing in common.
 */

/**
 * The effect of a fact that a line shares with an opt-out: `all` refuses the line whatever else it says, `own` refuses it if its name
 * is near, and `place` makes it wait for review if its name is near.
 */
export type OptOutWeight = "all" | "own" | "place";

export interface OptOutFact {
  readonly key: Buffer; // keyed hash of city, kind and value
  readonly optOut: Buffer;
  readonly weight: OptOutWeight;
  readonly assetType: string | null; // the only type of asset that it is about; null for all
  readonly expiresAt: number | null; // ms; null: it lasts
}

export interface OptOutWord {
  readonly optOut: Buffer;
  readonly name: number; // of the opt-out's names, from 0
  readonly word: number; // of the name's words, from 0; -1 for all of them written as one
  readonly key: Buffer; // keyed hash of the opt-out's id and a spelling of the word
}

/** What one opt-out adds to the list. */
export interface OptOutEntries {
  readonly names: readonly Buffer[]; // keyed hashes of (city, name key) that are refused in the whole city
  readonly facts: readonly OptOutFact[];
  readonly words: readonly OptOutWord[];
}

/** Where opt-outs are looked up: the ledger's tables, or the entries of one opt-out that is being planned. */
export interface OptOutSource {
  isOptedOut(key: Buffer): boolean;
  /** Without those that have expired at `now` (ms). */
  optOutFacts(key: Buffer, now: number): readonly OptOutFact[];
  optOutWords(optOut: Buffer): readonly OptOutWord[];
  hasOptOuts(): boolean;
}

/** An opt-out is written by an erasure alone (`IntakeTraces`). */
export function optOutOperations(sql: Sql, from: (table: IntakeTable) => string): OptOutSource {
  const [names, facts] = [from("opt_outs"), from("opt_out_facts")];
  const isOptedOut = `SELECT 1 FROM ${names} WHERE key = ?`;
  const any = `SELECT 1 WHERE EXISTS (SELECT 1 FROM ${names}) OR EXISTS (SELECT 1 FROM ${facts})`;
  const factsOf = `SELECT key, opt_out AS optOut, weight, asset_type AS assetType, expires_at AS expiresAt
    FROM ${facts} WHERE key = ? AND coalesce(expires_at > ?, 1) ORDER BY opt_out`;
  const words = `SELECT opt_out AS optOut, name, word, key FROM ${from("opt_out_words")} WHERE opt_out = ? ORDER BY name, word, key`;
  return {
    isOptedOut: (key) => sql.value(isOptedOut, key) !== undefined,
    hasOptOuts: () => sql.value(any) !== undefined,
    optOutFacts: (key, now) => sql.all(factsOf, key, now),
    optOutWords: (optOut) => sql.all(words, optOut),
  };
}

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
