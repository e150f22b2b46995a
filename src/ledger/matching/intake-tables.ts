/**
 * The look-up tables of intake in ledger.db. They are derived from rows, private as a whole, and cleaned by row or record when rows
 * are erased. Keys are keyed hashes, so the tables alone reveal nothing.
 */
import type Database from "better-sqlite3";
import { blob, integer, onlyRow, real, table, text } from "../../kernel/table.ts";

const LEDGER = "as long as the ledger";
const LIVE = "until its rows are erased";

const reference = { key: blob().primaryKey(), row: integer().nullable(), content: blob() };
/** What stands at a place: a resolution-11 cell, '#' and a keyed asset reference, or ''. `row` brought the entry. */
const placed = { place: text(), row: integer(), level: integer(), principal: text().nullable() };

/** What intake looks up: a dry run has an empty copy of each. */
export const LOOKUPS = {
  /** Every line ever accepted. `row` is null while the line is pending; `content` is a keyed hash of what the line said. */
  source_refs: table("source_refs", {
    private: reference,
    withoutRowid: true,
    bound: { limit: "1 an accepted line", kept: LEDGER },
  }),
  /** The newest of them, until they are many (`SourceRefs`). */
  recent_refs: table("recent_refs", {
    private: reference,
    withoutRowid: true,
    bound: { limit: "500,000, and those of a commit", kept: "until they are in `source_refs`" },
  }),
  /**
   * Names of records and where they stand. `level` is what its rows of the highest level say: 3 of two principals, 2 of registered sources,
   * 1 of built-in ones, 0 those that do not count.
   */
  record_names: table("record_names", {
    private: {
      city: text(),
      nameKey: text(),
      place: placed.place,
      record: integer(),
      row: placed.row,
      level: placed.level,
      principal: placed.principal,
    },
    primaryKey: ["city", "nameKey", "place", "record"],
    // By record, to teach it anew; by place, for what is near in name.
    indexes: [
      "CREATE INDEX record_names_of ON record_names (record);",
      "CREATE INDEX record_names_at ON record_names (place) WHERE level >= 2;",
    ],
    bound: { limit: "names and places of live records", kept: LIVE },
  }),
  /** Keyed hashes of websites and telephones, and which principals' counting rows named them, at most two a record. */
  record_contacts: table("record_contacts", {
    private: { city: text(), key: blob(), record: integer(), principal: text(), row: integer() },
    primaryKey: ["city", "key", "record", "principal"],
    indexes: ["CREATE INDEX record_contacts_of ON record_contacts (record);"],
    bound: { limit: "2 principals and a reviewer a contact of a live record", kept: LIVE },
  }),
  /** Where assets stand: the place of the first row of the highest level, and of the first row of a second principal. */
  assets_index: table("assets_index", {
    private: { record: integer(), type: text(), asset: integer(), ...placed },
    primaryKey: ["record", "type", "asset", "place"],
    bound: { limit: "places of live assets", kept: LIVE },
  }),
  /** Records that a reviewer keeps apart from each other; each pair both ways. */
  apart: table("apart", {
    private: { record: integer(), other: integer() },
    primaryKey: ["record", "other"],
    bound: { limit: "2 a pair that a reviewer keeps apart", kept: "until taken back" },
  }),
  /** Of these records: sums of the places (millionths of a degree) of their counting rows in a resolution-11 cell. */
  apart_places: table("apart_places", {
    private: { record: integer(), place: text(), lat: integer(), lng: integer(), rows: integer() },
    primaryKey: ["record", "place"],
    bound: { limit: "places of the records in `apart`", kept: LIVE },
  }),
  /** Records of which a name, website or industry is to be chosen anew; what nothing counted for until now (1) shows another name at once. */
  unsettled_names: table("unsettled_names", {
    private: { record: integer().primaryKey(), adopted: integer() },
    bound: { limit: "live records", kept: "until the next night" },
  }),
  /** Records with the near-named ones at their place, until a second counting line (1) makes a match review of each pair. */
  near_names: table("near_names", {
    private: { record: integer(), other: integer(), confirmed: integer() },
    primaryKey: ["record", "other"],
    bound: { limit: "5 a live record", kept: "until the night after a second line" },
  }),
  /** Where and when counting rows saw vehicles without a reference: whether one vehicle can have been at both places. */
  vehicle_sightings: table("vehicle_sightings", {
    private: { asset: integer(), instant: integer(), row: integer(), lat: real(), lng: real() },
    primaryKey: ["asset", "instant", "row"],
    bound: { limit: "observations of vehicles", kept: LIVE },
  }),
  /** Keyed hashes of (city, name key) that intake refuses. */
  opt_outs: table("opt_outs", {
    private: { key: blob().primaryKey() },
    withoutRowid: true,
    bound: { limit: "names of opt-outs", kept: LEDGER },
  }),
  /** Keyed hashes of what else an opted-out record is known by; that of a place alone expires (`OptOutFact`). */
  opt_out_facts: table("opt_out_facts", {
    private: {
      key: blob(),
      optOut: blob(),
      weight: text(),
      assetType: text().nullable(),
      expiresAt: integer().nullable(),
    },
    primaryKey: ["key", "optOut"],
    bound: { limit: "contacts of opt-outs", kept: "until they expire" },
  }),
  /** Keyed hashes of the spellings of an opted-out name's words (`OptOutWord`). */
  opt_out_words: table("opt_out_words", {
    private: { optOut: blob(), name: integer(), word: integer(), key: blob() },
    primaryKey: ["optOut", "name", "word", "key"],
    bound: { limit: "words of opted-out names", kept: LEDGER },
  }),
  /** Keyed hashes of all public ids ever given out, those of erased rows too. */
  public_ids: table("public_ids", {
    private: { key: blob().primaryKey() },
    withoutRowid: true,
    bound: { limit: "1 an issued public id", kept: LEDGER },
  }),
  intake_cities: table("intake_cities", {
    private: { slug: text().primaryKey(), row: integer(), geonameId: integer().unique(), details: text() },
    withoutRowid: true,
    bound: { limit: "1 a city", kept: LEDGER },
  }),
  /** Whether the ledger holds demonstration data: the first file decides permanently. */
  intake_kind: table("intake_kind", {
    private: { id: onlyRow(), synthetic: integer() },
    bound: { limit: "1 row", kept: LEDGER },
  }),
};

export type IntakeTable = keyof typeof LOOKUPS;

/** Empty temporary copies for a dry run, which reads both and writes to the copies alone. */
export function createDryRunTables(database: Database.Database): void {
  for (const { name, create } of Object.values(LOOKUPS)) {
    database.exec(`DROP TABLE IF EXISTS temp.dry_${name}`);
    database.exec(create.replace(`CREATE TABLE ${name}`, `CREATE TEMP TABLE dry_${name}`));
  }
}
