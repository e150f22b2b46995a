import type Database from "better-sqlite3";
import { statements } from "../database/statements.ts";
import type { OptOutEntries } from "./intake-store.ts";

const SET = "(SELECT value FROM json_each(?))";

/** What the look-up tables of intake (`IntakeStore`) hold about rows that are to be erased. */
export class IntakeTraces {
  readonly #statements: ReturnType<typeof statements>;

  constructor(database: Database.Database) {
    this.#statements = statements(database);
  }

  /**
   * Within a transaction of the writer: what is kept of erased rows beside what they taught, and what intake refuses from `now` (ms) on;
   * what expired by then goes, too. Keyed hashes of source references stay: they refuse the same line again.
   */
  remove(rows: readonly number[], optOuts: OptOutEntries | undefined, now: number): void {
    const { run } = this.#statements;
    run<[string]>(`DELETE FROM online_checks WHERE record IN ${SET}`)(JSON.stringify(rows));
    if (optOuts !== undefined) this.#addOptOut(optOuts);
    run<[number]>("DELETE FROM opt_out_facts WHERE expires_at <= ?")(now);
  }

  #addOptOut({ names, facts, words }: OptOutEntries): void {
    const { run } = this.#statements;
    const addName = run("INSERT OR IGNORE INTO opt_outs VALUES (?)");
    const addFact = run("INSERT OR IGNORE INTO opt_out_facts VALUES (?, ?, ?, ?, ?)");
    const addWord = run("INSERT OR IGNORE INTO opt_out_words VALUES (?, ?, ?, ?)");
    for (const key of names) addName(key);
    for (const { key, optOut, weight, assetType, expiresAt } of facts)
      addFact(key, optOut, weight, assetType, expiresAt);
    for (const { optOut, name, word, key } of words) addWord(optOut, name, word, key);
  }
}
