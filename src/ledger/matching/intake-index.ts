import type Database from "better-sqlite3";
import type { ColumnMarks } from "../database/schema.ts";
import { CityBody, type CityDetails, type RowKind } from "../rows/rows.ts";

/**
 * What intake has to look up, derived from rows and private as a whole: written in the same transaction as the rows, by one
 * writer, and deleted by row or record when rows are redacted. Keys are keyed hashes, so that the tables alone tell nothing.
 */
const TABLES = {
  // Every line ever taken. `row` is null while the line is held; `content` is a keyed hash of what the line said.
  source_refs: "key BLOB PRIMARY KEY, row INTEGER, content BLOB NOT NULL",
  // Names that a record was seen under, and where: a resolution-11 cell, '#' and a keyed asset reference, or ''.
  record_names:
    "city TEXT NOT NULL, name_key TEXT NOT NULL, place TEXT NOT NULL, record INTEGER NOT NULL, PRIMARY KEY (city, name_key, place, record)",
  // Keyed hashes of websites and telephones; the record that was first seen with one keeps it.
  record_contacts: "city TEXT NOT NULL, key BLOB NOT NULL, record INTEGER NOT NULL, PRIMARY KEY (city, key)",
  assets_index:
    "record INTEGER NOT NULL, type TEXT NOT NULL, place TEXT NOT NULL, asset INTEGER NOT NULL, PRIMARY KEY (record, type, place)",
  // Keyed hashes of (city, name key) that must never be taken again.
  opt_outs: "key BLOB PRIMARY KEY",
  // Keyed hashes of all public ids ever given out, those of erased rows too.
  public_ids: "key BLOB PRIMARY KEY",
  // Lines that wait for the review desk, as they came.
  held: "key BLOB PRIMARY KEY, held_at INTEGER NOT NULL, reason TEXT NOT NULL, input TEXT NOT NULL",
  intake_cities:
    "slug TEXT PRIMARY KEY, row INTEGER NOT NULL, geoname_id INTEGER NOT NULL UNIQUE, details TEXT NOT NULL",
  // Whether the ledger holds demonstration data: the first file decides for ever.
  intake_kind: "id INTEGER PRIMARY KEY CHECK (id = 1), synthetic INTEGER NOT NULL",
} as const;

type Table = keyof typeof TABLES;

export const INTAKE_INDEX_COLUMNS = {
  source_refs: { key: "private", row: "private", content: "private" },
  record_names: { city: "private", name_key: "private", place: "private", record: "private" },
  record_contacts: { city: "private", key: "private", record: "private" },
  assets_index: { record: "private", type: "private", place: "private", asset: "private" },
  opt_outs: { key: "private" },
  public_ids: { key: "private" },
  held: { key: "private", held_at: "private", reason: "private", input: "private" },
  intake_cities: { slug: "private", row: "private", geoname_id: "private", details: "private" },
  intake_kind: { id: "private", synthetic: "private" },
} as const satisfies ColumnMarks;

export interface SourceRef {
  readonly row: number | null;
  readonly content: Buffer;
}

export interface IndexedCity {
  readonly slug: string;
  readonly details: CityDetails;
}

const Details = CityBody.shape.details.unwrap();

/** A dry run reads the tables and its own temporary copies of them, and writes to the copies only. */
export class IntakeIndex {
  readonly #database: Database.Database;
  readonly #into: (table: Table) => string;
  readonly #from: (table: Table) => string;
  readonly #sourceRef: Database.Statement<[Buffer], SourceRef>;
  readonly #addSourceRef: Database.Statement<[Buffer, number | null, Buffer]>;
  readonly #namesAt: Database.Statement<[string, string], { place: string; record: number }>;
  readonly #addName: Database.Statement<[string, string, string, number]>;
  readonly #contact: Database.Statement<[string, Buffer], number>;
  readonly #addContact: Database.Statement<[string, Buffer, number]>;
  readonly #assetsOf: Database.Statement<[number, string], { place: string; asset: number }>;
  readonly #addAsset: Database.Statement<[number, string, string, number]>;
  readonly #optOut: Database.Statement<[Buffer]>;
  readonly #publicId: Database.Statement<[Buffer]>;
  readonly #addPublicId: Database.Statement<[Buffer]>;
  readonly #hold: Database.Statement<[Buffer, number, string, string]>;

  constructor(database: Database.Database, { dryRun }: { readonly dryRun: boolean } = { dryRun: false }) {
    this.#database = database;
    createTables(database, dryRun);
    this.#into = (table) => (dryRun ? `temp.dry_${table}` : `main.${table}`);
    this.#from = (table) =>
      dryRun ? `(SELECT * FROM main.${table} UNION ALL SELECT * FROM temp.dry_${table})` : `main.${table}`;
    const [from, into] = [this.#from, this.#into];
    this.#sourceRef = database.prepare(`SELECT row, content FROM ${from("source_refs")} WHERE key = ?`);
    this.#addSourceRef = database.prepare(`INSERT INTO ${into("source_refs")} VALUES (?, ?, ?)`);
    this.#namesAt = database.prepare(
      `SELECT place, record FROM ${from("record_names")} WHERE city = ? AND name_key = ? ORDER BY record, place`,
    );
    this.#addName = database.prepare(`INSERT OR IGNORE INTO ${into("record_names")} VALUES (?, ?, ?, ?)`);
    this.#contact = database
      .prepare<[string, Buffer], number>(
        `SELECT record FROM ${from("record_contacts")} WHERE city = ? AND key = ?`,
      )
      .pluck();
    this.#addContact = database.prepare(`INSERT OR IGNORE INTO ${into("record_contacts")} VALUES (?, ?, ?)`);
    this.#assetsOf = database.prepare(
      `SELECT place, asset FROM ${from("assets_index")} WHERE record = ? AND type = ? ORDER BY asset`,
    );
    this.#addAsset = database.prepare(`INSERT INTO ${into("assets_index")} VALUES (?, ?, ?, ?)`);
    this.#optOut = database.prepare(`SELECT 1 FROM ${from("opt_outs")} WHERE key = ?`);
    this.#publicId = database.prepare(`SELECT 1 FROM ${from("public_ids")} WHERE key = ?`);
    this.#addPublicId = database.prepare(`INSERT INTO ${into("public_ids")} VALUES (?)`);
    this.#hold = database.prepare(`INSERT INTO ${into("held")} VALUES (?, ?, ?, ?)`);
  }

  sourceRef(key: Buffer): SourceRef | undefined {
    return this.#sourceRef.get(key);
  }

  addSourceRef(key: Buffer, row: number | null, content: Buffer): void {
    this.#addSourceRef.run(key, row, content);
  }

  /** Where a name was seen in a city, and of which record, the earliest record first. */
  namesIn(city: string, nameKey: string): { place: string; record: number }[] {
    return this.#namesAt.all(city, nameKey);
  }

  addName(city: string, nameKey: string, place: string, record: number): void {
    this.#addName.run(city, nameKey, place, record);
  }

  recordOfContact(city: string, key: Buffer): number | undefined {
    return this.#contact.get(city, key);
  }

  addContact(city: string, key: Buffer, record: number): void {
    this.#addContact.run(city, key, record);
  }

  assetsOf(record: number, type: string): { place: string; asset: number }[] {
    return this.#assetsOf.all(record, type);
  }

  addAsset(record: number, type: string, place: string, asset: number): void {
    this.#addAsset.run(record, type, place, asset);
  }

  hold(key: Buffer, heldAt: number, reason: string, input: string): void {
    this.#hold.run(key, heldAt, reason, input);
  }

  /** A held line was decided about: it waits no more, and is known as this row, or as one that was not taken. */
  release(key: Buffer, row: number | null): void {
    this.#database.prepare("DELETE FROM held WHERE key = ?").run(key);
    this.#database.prepare("UPDATE source_refs SET row = ? WHERE key = ?").run(row, key);
  }

  heldCount(): number {
    return (
      this.#database
        .prepare<[], number>(`SELECT count(*) FROM ${this.#from("held")}`)
        .pluck()
        .get() ?? 0
    );
  }

  isOptedOut(key: Buffer): boolean {
    return this.#optOut.get(key) !== undefined;
  }

  addOptOut(key: Buffer): void {
    this.#database.prepare(`INSERT OR IGNORE INTO ${this.#into("opt_outs")} VALUES (?)`).run(key);
  }

  hasPublicIds(): boolean {
    return this.#database.prepare(`SELECT 1 FROM ${this.#from("public_ids")} LIMIT 1`).get() !== undefined;
  }

  /** Whether the id was given out now: false when it ever was before. */
  takePublicId(key: Buffer): boolean {
    if (this.#publicId.get(key) !== undefined) return false;
    this.#addPublicId.run(key);
    return true;
  }

  /** Public ids of the records and assets that are not erased. */
  publicIdsOfRows(): string[] {
    return this.#database
      .prepare<[], string>(
        "SELECT json_extract(body, '$.public_id') FROM openings JOIN rows ON id = row WHERE kind IN ('record', 'asset')",
      )
      .pluck()
      .all();
  }

  /** Registered cities, the first registered first. */
  cities(): IndexedCity[] {
    const stored = this.#database
      .prepare<[], { slug: string; details: string }>("SELECT slug, details FROM intake_cities ORDER BY row")
      .all();
    return stored.map(({ slug, details }) => ({ slug, details: Details.parse(JSON.parse(details)) }));
  }

  addCity(slug: string, row: number, details: CityDetails): void {
    this.#database
      .prepare("INSERT INTO intake_cities VALUES (?, ?, ?, ?)")
      .run(slug, row, details.geoname_id, JSON.stringify(details));
  }

  /** Whether this ledger is one of demonstration data; undefined while it has no observation. */
  synthetic(): boolean | undefined {
    const found = this.#database.prepare<[], number>("SELECT synthetic FROM intake_kind").pluck().get();
    return found === undefined ? undefined : found === 1;
  }

  setSynthetic(synthetic: boolean): void {
    this.#database
      .prepare(`INSERT OR IGNORE INTO ${this.#into("intake_kind")} VALUES (1, ?)`)
      .run(synthetic ? 1 : 0);
  }

  /** Undefined when there is no such row, or its values are erased. */
  kindOfRow(row: number): RowKind | undefined {
    return this.#database
      .prepare<[number], RowKind>("SELECT kind FROM rows JOIN openings ON row = id WHERE id = ?")
      .pluck()
      .get(row);
  }

  /** The city of a record; undefined when the row is redacted or has none. */
  cityOfRecord(record: number): string | undefined {
    return this.#database
      .prepare<[number], string>("SELECT json_extract(body, '$.city') FROM openings WHERE row = ?")
      .pluck()
      .get(record);
  }

  /** Who saw a record, as the ledger keeps it privately: keyed hash, source type, and the tag that was published for it. */
  observersOf(record: number): { observer: string; sourceType: string; tag: string }[] {
    return this.#database
      .prepare<[number], { observer: string; sourceType: string; tag: string }>(
        `SELECT DISTINCT json_extract(private, '$.observer') AS observer, json_extract(body, '$.source_type') AS sourceType,
           json_extract(body, '$.observer_tag') AS tag
         FROM openings WHERE json_extract(body, '$.record') = ? AND json_extract(body, '$.observer_tag') IS NOT NULL ORDER BY tag`,
      )
      .all(record);
  }

  /** After a merge: sightings that would have matched one record match the other. */
  repoint(record: number, into: number): void {
    for (const table of ["record_names", "record_contacts", "assets_index"] as const) {
      this.#database
        .prepare(`UPDATE OR IGNORE ${this.#into(table)} SET record = ? WHERE record = ?`)
        .run(into, record);
      this.#database.prepare(`DELETE FROM ${this.#into(table)} WHERE record = ?`).run(record);
    }
  }
}

function createTables(database: Database.Database, dryRun: boolean): void {
  for (const [table, columns] of Object.entries(TABLES)) {
    const options = columns.includes("id INTEGER PRIMARY KEY") ? "STRICT" : "STRICT, WITHOUT ROWID";
    database.exec(`CREATE TABLE IF NOT EXISTS main.${table} (${columns}) ${options}`);
    if (!dryRun) continue;
    database.exec(`DROP TABLE IF EXISTS temp.dry_${table}`);
    database.exec(`CREATE TEMP TABLE dry_${table} (${columns}) ${options}`);
  }
}
