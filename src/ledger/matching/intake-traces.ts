import type Database from "better-sqlite3";
import { statements } from "../database/statements.ts";
import type { OptOutEntries } from "./opt-out-list.ts";

export interface IndexedName {
  readonly city: string;
  readonly nameKey: string;
  readonly place: string;
  readonly record: number;
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

/** What an erasure removes and replaces. Keyed hashes of source references stay: they refuse the same line again. */
export interface Traces {
  /** Erased records and assets: everything known about them is removed, and the online checks of the records. */
  readonly records: readonly number[];
  readonly assets: readonly number[];
  readonly names: readonly IndexedName[];
  readonly newNames: readonly IndexedName[];
  readonly contacts: readonly IndexedContact[];
  /** Assets that had the place of an erased observation, with the place of another one. */
  readonly movedAssets: readonly { readonly asset: number; readonly place: string }[];
  /** What intake refuses from now on. */
  readonly optOuts: OptOutEntries | undefined;
}

const SET = "(SELECT value FROM json_each(?))";
const NAME = "city, name_key AS nameKey, place, record";

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
      `SELECT city, key FROM record_contacts WHERE record IN ${SET} ORDER BY city, key`,
    )(JSON.stringify(records));
  }

  /** By row id. */
  assets(ids: readonly number[]): Map<number, IndexedAsset> {
    const entries = this.#statements.all<[string], IndexedAsset>(
      `SELECT record, type, place, asset FROM assets_index WHERE asset IN ${SET} ORDER BY asset`,
    )(JSON.stringify(ids));
    return new Map(entries.map((entry) => [entry.asset, entry]));
  }

  /** Within a transaction of the writer: where the vehicles of these observations were seen. */
  forgetSightings(rows: readonly number[]): void {
    this.#statements.run<[string]>(`DELETE FROM vehicle_sightings WHERE row IN ${SET}`)(JSON.stringify(rows));
  }

  /** Within a transaction of the writer. `now` in ms: what expired by then goes, too. */
  remove(traces: Traces, now: number): void {
    const { run } = this.#statements;
    for (const table of ["record_names", "record_contacts", "assets_index", "online_checks"])
      run<[string]>(`DELETE FROM ${table} WHERE record IN ${SET}`)(JSON.stringify(traces.records));
    run<[string]>(`DELETE FROM assets_index WHERE asset IN ${SET}`)(JSON.stringify(traces.assets));
    const removeName = run(
      "DELETE FROM record_names WHERE city = ? AND name_key = ? AND place = ? AND record = ?",
    );
    const addName = run("INSERT OR IGNORE INTO record_names VALUES (?, ?, ?, ?)");
    const removeContact = run("DELETE FROM record_contacts WHERE city = ? AND key = ?");
    for (const { city, nameKey, place, record } of traces.names) removeName(city, nameKey, place, record);
    for (const { city, nameKey, place, record } of traces.newNames) addName(city, nameKey, place, record);
    for (const { city, key } of traces.contacts) removeContact(city, key);
    this.#moveAssets(traces.movedAssets);
    if (traces.optOuts !== undefined) this.#addOptOut(traces.optOuts);
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

  /** If another asset of the kind is already known at the new place, that one stays. */
  #moveAssets(moved: Traces["movedAssets"]): void {
    const { run } = this.#statements;
    const remove = run("DELETE FROM assets_index WHERE asset = ?");
    const add = run("INSERT OR IGNORE INTO assets_index VALUES (?, ?, ?, ?)");
    for (const { asset, place } of moved) {
      const entry = this.assets([asset]).get(asset);
      if (entry === undefined) continue;
      remove(asset);
      add(entry.record, entry.type, place, asset);
    }
  }
}
