import type Database from "better-sqlite3";

/** What the look-up tables of intake (see `IntakeIndex`) hold of rows that are to be erased. */

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

export interface HeldLine {
  readonly key: Buffer;
  readonly input: string;
}

/** What goes, and what is put in its place. Keyed hashes of source references stay: they refuse the same line again. */
export interface Traces {
  /** Erased records and assets: all that the tables know of them goes, and the online checks of the records. */
  readonly records: readonly number[];
  readonly assets: readonly number[];
  readonly names: readonly IndexedName[];
  readonly newNames: readonly IndexedName[];
  readonly contacts: readonly IndexedContact[];
  /** Assets whose place was an erased observation's, with the place of another one. */
  readonly movedAssets: readonly { readonly asset: number; readonly place: string }[];
  readonly held: readonly HeldLine[];
  /** Keyed hashes of the names that intake refuses from now on. */
  readonly optOuts: readonly Buffer[];
}

const SET = "(SELECT value FROM json_each(?))";

export class IntakeTraces {
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    this.#database = database;
  }

  namesOf(records: readonly number[]): IndexedName[] {
    return this.#database
      .prepare<[string], IndexedName>(
        `SELECT city, name_key AS nameKey, place, record FROM record_names WHERE record IN ${SET} ORDER BY city, name_key, place, record`,
      )
      .all(JSON.stringify(records));
  }

  /** Wherever the name is known in the city, and of whichever record. */
  entriesOf(city: string, nameKey: string): IndexedName[] {
    return this.#database
      .prepare<[string, string], IndexedName>(
        "SELECT city, name_key AS nameKey, place, record FROM record_names WHERE city = ? AND name_key = ? ORDER BY place, record",
      )
      .all(city, nameKey);
  }

  contactsOf(records: readonly number[]): IndexedContact[] {
    return this.#database
      .prepare<[string], IndexedContact>(
        `SELECT city, key FROM record_contacts WHERE record IN ${SET} ORDER BY city, key`,
      )
      .all(JSON.stringify(records));
  }

  /** By row id. */
  assets(ids: readonly number[]): Map<number, IndexedAsset> {
    const found = this.#database
      .prepare<[string], IndexedAsset>(
        `SELECT record, type, place, asset FROM assets_index WHERE asset IN ${SET} ORDER BY asset`,
      )
      .all(JSON.stringify(ids));
    return new Map(found.map((entry) => [entry.asset, entry]));
  }

  held(): HeldLine[] {
    return this.#database.prepare<[], HeldLine>("SELECT key, input FROM held ORDER BY key").all();
  }

  /** Within a transaction of the writer. */
  remove(traces: Traces): void {
    for (const table of ["record_names", "record_contacts", "assets_index", "online_checks"])
      this.#run(`DELETE FROM ${table} WHERE record IN ${SET}`, JSON.stringify(traces.records));
    this.#run(`DELETE FROM assets_index WHERE asset IN ${SET}`, JSON.stringify(traces.assets));
    for (const { city, nameKey, place, record } of traces.names)
      this.#run(
        "DELETE FROM record_names WHERE city = ? AND name_key = ? AND place = ? AND record = ?",
        ...[city, nameKey, place, record],
      );
    for (const { city, nameKey, place, record } of traces.newNames)
      this.#run("INSERT OR IGNORE INTO record_names VALUES (?, ?, ?, ?)", city, nameKey, place, record);
    for (const { city, key } of traces.contacts)
      this.#run("DELETE FROM record_contacts WHERE city = ? AND key = ?", city, key);
    for (const moved of traces.movedAssets) this.#moveAsset(moved);
    for (const { key } of traces.held) this.#run("DELETE FROM held WHERE key = ?", key);
    for (const key of traces.optOuts) this.#run("INSERT OR IGNORE INTO opt_outs VALUES (?)", key);
  }

  /** Where the other asset of its kind is known already, that one stays. */
  #moveAsset({ asset, place }: Traces["movedAssets"][number]): void {
    const indexed = this.assets([asset]).get(asset);
    if (indexed === undefined) return;
    this.#run("DELETE FROM assets_index WHERE asset = ?", asset);
    this.#run(
      "INSERT OR IGNORE INTO assets_index VALUES (?, ?, ?, ?)",
      ...[indexed.record, indexed.type, place, asset],
    );
  }

  #run(sql: string, ...values: (string | number | Buffer)[]): void {
    this.#database.prepare(sql).run(...values);
  }
}
