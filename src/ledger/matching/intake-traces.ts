import type Database from "better-sqlite3";
import { statements } from "../database/statements.ts";
import type { OptOutEntries } from "./opt-out-list.ts";

export interface IndexedName {
  readonly city: string;
  readonly nameKey: string;
  readonly place: string;
  readonly record: number;
  readonly row: number;
  readonly taught: number;
}

export interface IndexedContact {
  readonly city: string;
  readonly key: Buffer;
}

export interface IndexedAsset {
  readonly record: number;
  readonly type: string;
  readonly place: string;
  readonly asset: number;
}

const SET = "(SELECT value FROM json_each(?))";
const NAME = "city, name_key AS nameKey, place, record, row, taught";

/** What the look-up tables of intake (`IntakeStore`) hold about rows that are to be erased. */
export class IntakeTraces {
  readonly #statements: ReturnType<typeof statements>;

  constructor(database: Database.Database) {
    this.#statements = statements(database);
  }

  namesOf(records: readonly number[]): IndexedName[] {
    return this.#statements.all<[string], IndexedName>(
      `SELECT ${NAME} FROM record_names WHERE record IN ${SET} ORDER BY city, name_key, place, record`,
    )(JSON.stringify(records));
  }

  /** Every place and record under a name in a city. */
  entriesOf(city: string, nameKey: string): IndexedName[] {
    return this.#statements.all<[string, string], IndexedName>(
      `SELECT ${NAME} FROM record_names WHERE city = ? AND name_key = ? ORDER BY place, record`,
    )(city, nameKey);
  }

  contactsOf(records: readonly number[]): IndexedContact[] {
    return this.#statements.all<[string], IndexedContact>(
      `SELECT DISTINCT city, key FROM record_contacts WHERE record IN ${SET} ORDER BY city, key`,
    )(JSON.stringify(records));
  }

  /** By row id. */
  assets(ids: readonly number[]): Map<number, IndexedAsset> {
    const entries = this.#statements.all<[string], IndexedAsset>(
      `SELECT record, type, place, asset FROM assets_index WHERE asset IN ${SET} ORDER BY asset`,
    )(JSON.stringify(ids));
    return new Map(entries.map((entry) => [entry.asset, entry]));
  }

  /**
   * Within a transaction of the writer: what is kept of erased rows beside what they taught, and what intake refuses from `now` (ms) on;
   * what expired by then goes, too. Keyed hashes of source references stay: they refuse the same line again.
   */
  remove(rows: readonly number[], optOuts: OptOutEntries | undefined, now: number): void {
    const { run } = this.#statements;
    run<[string]>(`DELETE FROM online_checks WHERE record IN ${SET}`)(JSON.stringify(rows));
    run<[string]>(`DELETE FROM vehicle_sightings WHERE row IN ${SET}`)(JSON.stringify(rows));
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
