import type Database from "better-sqlite3";
import type { ColumnMarks } from "../database/schema.ts";
import { LOOK_COLUMNS, LOOK_SQL } from "../looks/look-tables.ts";
import { SOURCE_COLUMNS, SOURCE_SQL } from "../sources/source-tables.ts";
import { BATCH_COLUMNS, BATCH_SQL } from "./batch-tables.ts";
import { PENDING_COLUMNS, PENDING_SQL } from "./pending-tables.ts";

/**
 * The look-up tables of intake in ledger.db. They are derived from rows, private as a whole, and cleaned by row or record when rows
 * are erased. Keys are keyed hashes, so the tables alone reveal nothing.
 */
const TABLES = {
  // Every line ever accepted. `row` is null while the line is pending; `content` is a keyed hash of what the line said.
  source_refs: "key BLOB PRIMARY KEY, row INTEGER, content BLOB NOT NULL",
  // The newest of them, until they are many (`SourceRefs`).
  recent_refs: "key BLOB PRIMARY KEY, row INTEGER, content BLOB NOT NULL",
  // Names of records and where they stand: a resolution-11 cell, '#' and a keyed asset reference, or ''. `row` brought the entry.
  // What its rows of the highest level say: 3 of two principals, 2 of registered sources, 1 of
  // built-in ones, 0 those that do not count.
  record_names: `city TEXT NOT NULL, name_key TEXT NOT NULL, place TEXT NOT NULL, record INTEGER NOT NULL, row INTEGER NOT NULL,
    level INTEGER NOT NULL, principal TEXT, PRIMARY KEY (city, name_key, place, record)`,
  // Keyed hashes of websites and telephones, and which principals' counting rows named them, at most two a record.
  record_contacts: `city TEXT NOT NULL, key BLOB NOT NULL, record INTEGER NOT NULL, principal TEXT NOT NULL, row INTEGER NOT NULL,
    PRIMARY KEY (city, key, record, principal)`,
  // Where assets stand: the place of the first row of the highest level, and of the first row of a second principal.
  assets_index: `record INTEGER NOT NULL, type TEXT NOT NULL, asset INTEGER NOT NULL, place TEXT NOT NULL, row INTEGER NOT NULL,
    level INTEGER NOT NULL, principal TEXT, PRIMARY KEY (record, type, asset, place)`,
  // Records that a reviewer keeps apart from each other; each pair both ways.
  apart: "record INTEGER NOT NULL, other INTEGER NOT NULL, PRIMARY KEY (record, other)",
  // Of these records: sums of the places (millionths of a degree) of their counting rows in a resolution-11 cell.
  apart_places: `record INTEGER NOT NULL, place TEXT NOT NULL, lat INTEGER NOT NULL, lng INTEGER NOT NULL, rows INTEGER NOT NULL,
    PRIMARY KEY (record, place)`,
  // Records of which a name, website or industry is to be chosen anew; what nothing counted for until now (1) shows another name at once.
  unsettled_names: "record INTEGER PRIMARY KEY, adopted INTEGER NOT NULL",
  // Records with the near-named ones at their place, until a second counting line (1) makes a match review of each pair.
  near_names:
    "record INTEGER NOT NULL, other INTEGER NOT NULL, confirmed INTEGER NOT NULL, PRIMARY KEY (record, other)",
  // Where and when (ms) counting rows saw vehicles without a reference: whether one vehicle can have been at both places.
  vehicle_sightings:
    "asset INTEGER NOT NULL, instant INTEGER NOT NULL, row INTEGER NOT NULL, lat REAL NOT NULL, lng REAL NOT NULL, PRIMARY KEY (asset, instant, row)",
  // Keyed hashes of (city, name key) that intake refuses.
  opt_outs: "key BLOB PRIMARY KEY",
  // Keyed hashes of what else an opted-out record is known by; that of a place alone expires (`OptOutFact`).
  opt_out_facts:
    "key BLOB NOT NULL, opt_out BLOB NOT NULL, weight TEXT NOT NULL, asset_type TEXT, expires_at INTEGER, PRIMARY KEY (key, opt_out)",
  // Keyed hashes of the spellings of an opted-out name's words (`OptOutWord`).
  opt_out_words:
    "opt_out BLOB NOT NULL, name INTEGER NOT NULL, word INTEGER NOT NULL, key BLOB NOT NULL, PRIMARY KEY (opt_out, name, word, key)",
  // Versions of recognition models whose names may be published, by source type.
  recognition_models: "source_type TEXT NOT NULL, version TEXT NOT NULL, PRIMARY KEY (source_type, version)",
  // Keyed hashes of all public ids ever given out, those of erased rows too.
  public_ids: "key BLOB PRIMARY KEY",
  intake_cities:
    "slug TEXT PRIMARY KEY, row INTEGER NOT NULL, geoname_id INTEGER NOT NULL UNIQUE, details TEXT NOT NULL",
  // Whether the ledger holds demonstration data: the first file decides permanently.
  intake_kind: "id INTEGER PRIMARY KEY CHECK (id = 1), synthetic INTEGER NOT NULL",
} as const;

export type IntakeTable = keyof typeof TABLES;

export const INTAKE_COLUMNS = {
  source_refs: { key: "private", row: "private", content: "private" },
  recent_refs: { key: "private", row: "private", content: "private" },
  record_names: {
    city: "private",
    name_key: "private",
    place: "private",
    record: "private",
    row: "private",
    level: "private",
    principal: "private",
  },
  record_contacts: {
    city: "private",
    key: "private",
    record: "private",
    principal: "private",
    row: "private",
  },
  assets_index: {
    record: "private",
    type: "private",
    asset: "private",
    place: "private",
    row: "private",
    level: "private",
    principal: "private",
  },
  apart: { record: "private", other: "private" },
  apart_places: { record: "private", place: "private", lat: "private", lng: "private", rows: "private" },
  unsettled_names: { record: "private", adopted: "private" },
  near_names: { record: "private", other: "private", confirmed: "private" },
  vehicle_sightings: {
    asset: "private",
    instant: "private",
    row: "private",
    lat: "private",
    lng: "private",
  },
  opt_outs: { key: "private" },
  opt_out_facts: {
    key: "private",
    opt_out: "private",
    weight: "private",
    asset_type: "private",
    expires_at: "private",
  },
  opt_out_words: { opt_out: "private", name: "private", word: "private", key: "private" },
  recognition_models: { source_type: "private", version: "private" },
  public_ids: { key: "private" },
  intake_cities: { slug: "private", row: "private", geoname_id: "private", details: "private" },
  intake_kind: { id: "private", synthetic: "private" },
  ...PENDING_COLUMNS,
  ...BATCH_COLUMNS,
  ...SOURCE_COLUMNS,
  ...LOOK_COLUMNS,
} as const satisfies ColumnMarks;

/** By record, to teach it anew; by place, for what is near in name. */
const INDEXES = [
  "CREATE INDEX record_names_of ON record_names (record)",
  "CREATE INDEX record_names_at ON record_names (place) WHERE level >= 2",
  "CREATE INDEX record_contacts_of ON record_contacts (record)",
];

export function createIntakeTables(database: Database.Database): void {
  for (const table of Object.keys(TABLES).filter(isTable))
    database.exec(`CREATE TABLE ${table} ${definition(table)}`);
  for (const sql of INDEXES) database.exec(sql);
  for (const sql of [PENDING_SQL, BATCH_SQL, SOURCE_SQL, LOOK_SQL]) database.exec(sql);
}

/** Empty temporary copies for a dry run, which reads both and writes to the copies alone. */
export function createDryRunTables(database: Database.Database): void {
  for (const table of Object.keys(TABLES).filter(isTable)) {
    database.exec(`DROP TABLE IF EXISTS temp.dry_${table}`);
    database.exec(`CREATE TEMP TABLE dry_${table} ${definition(table)}`);
  }
}

function isTable(name: string): name is IntakeTable {
  return Object.hasOwn(TABLES, name);
}

function definition(table: IntakeTable): string {
  const options = table === "intake_kind" || table === "unsettled_names" ? "STRICT" : "STRICT, WITHOUT ROWID";
  return `(${TABLES[table]}) ${options}`;
}
