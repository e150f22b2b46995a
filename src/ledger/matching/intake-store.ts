import type Database from "better-sqlite3";
import type { SourceType } from "../../contract/enums.ts";
import { AMONG, Sql } from "../../kernel/sql.ts";
import { type NewLook, WaitingLooks } from "../looks.ts";
import { CityBody, type CityDetails } from "../rows/rows.ts";
import { createDryRunTables, type IntakeTable } from "./intake-tables.ts";
import { optOutOperations } from "./opt-outs.ts";
import { type SourceRef, SourceRefs } from "./source-refs.ts";

/** What stands at a place; `row` brought it there. */
interface Placed {
  readonly place: string;
  readonly row: number;
  readonly level: 0 | 1 | 2 | 3; // `Level` of intake: nothing that counts, built-in sources, a registered one, two principals
  readonly principal: string | null | undefined; // null where it is of no registered source
}

export interface NamePlace extends Placed {
  readonly record: number;
}

export interface AssetPlace extends Placed {
  readonly asset: number;
}

export interface NameAt {
  readonly nameKey: string;
  readonly place: string;
  readonly record: number;
}

export interface ContactClaim {
  readonly record: number;
  readonly principal: string;
}

/** Sums over the rows of a cell, in millionths of a degree. */
export interface ApartPlace {
  readonly place: string;
  readonly lat: number;
  readonly lng: number;
  readonly rows: number;
}

/** Where a vehicle without a reference was seen. */
export interface VehicleSighting {
  readonly instant: number; // ms
  readonly lat: number;
  readonly lng: number;
}

/** An accepted line, as intake keeps it. */
export interface NewPending {
  readonly source: SourceType;
  readonly batch: string;
  readonly line: number;
  readonly day: number; // the UTC day of acceptance, ms
  readonly key: Buffer; // keyed hash of its source's reference
  readonly input: string; // the line, as JSON
}

export interface IndexedCity {
  readonly slug: string;
  readonly row: number; // that registered it first
  readonly details: CityDetails;
}

/** What intake looks up and remembers about earlier lines, in the ledger's own file. */
export function intakeStore(database: Database.Database) {
  const sql = new Sql(database);
  const name = (table: IntakeTable) => `main.${table}`;
  return {
    ...lookUps(database, sql, name, name),
    ...pendingOperations(sql),
    ...lookOperations(database, sql),
  };
}

/**
 * Writes commit with the rows of the same transaction, and everything here can be derived from rows again. Keys are keyed hashes. An object of
 * functions, so that a test can make any of them fail.
 */
export type IntakeStore = ReturnType<typeof intakeStore>;

/** A store that reads the ledger's tables, keeps what is written in temporary tables, and drops pending lines. */
export function dryRunIntakeStore(database: Database.Database): IntakeStore {
  createDryRunTables(database);
  const sql = new Sql(database);
  const store = lookUps(
    database,
    sql,
    (table) => `(SELECT * FROM main.${table} UNION ALL SELECT * FROM temp.dry_${table})`,
    (table) => `temp.dry_${table}`,
  );
  const nothing = () => undefined;
  const dry = { addPending: nothing, nextBatch: () => "", addLook: nothing, settleSourceRefs: nothing };
  return { ...store, ...lookOperations(database, sql), ...dry };
}

function pendingOperations(sql: Sql) {
  return {
    /** Keeps an accepted line until its day is taken in. */
    addPending: ({ source, batch, line, day, key, input }: NewPending): void => {
      sql.run(
        "INSERT INTO pending (source, batch, line, state, day, key, input) VALUES (?, ?, ?, 'waiting', ?, ?, ?)",
        ...[source, batch, line, day, key, input],
      );
    },
    /** A new batch: the lines of one input. Each name is given out once. */
    nextBatch: (): string => {
      const next =
        "INSERT INTO intake_batches VALUES (1, 1) ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last";
      return `b${sql.value<number>(next)}`;
    },
  };
}

function lookOperations(database: Database.Database, sql: Sql) {
  const looks = new WaitingLooks(database);
  const replaceEligible = (slug: string, row: number, details: CityDetails): void => {
    sql.run("INSERT OR REPLACE INTO city_denominators VALUES (?, ?, ?)", slug, row, JSON.stringify(details));
  };
  return {
    /** Keeps a look until its rows are written. */
    addLook: (look: NewLook): void => looks.add(look),
    /** The last solar day of a city for which no look row is to come. */
    looksClosed: (city: string): number => looks.closedThrough(city),
    /** The details of a city with its present list of eligible cells; `cities` has the whole area, of which these are a part. */
    eligibleDetails: (slug: string): CityDetails | undefined => {
      const json = sql.value<string>(
        `SELECT coalesce(replaced.details, cities.details) FROM intake_cities cities
         LEFT JOIN city_denominators replaced USING (slug) WHERE slug = ?`,
        slug,
      );
      return json === undefined ? undefined : Details.parse(JSON.parse(json));
    },
    /** A list of eligible cells that takes the place of the one before. */
    replaceEligible,
    /** Another registration of a city: its area and its eligible cells. It keeps its place among the cities. */
    replaceCity: (slug: string, row: number, details: CityDetails): void => {
      sql.run("UPDATE intake_cities SET details = ? WHERE slug = ?", JSON.stringify(details), slug);
      replaceEligible(slug, row, details);
    },
  };
}

/** The SQL name of a table. Texts with such names are made once: a line of input runs a dozen of them. */
type Naming = (table: IntakeTable) => string;

/** `from` names tables for reading, `into` for writing. */
function lookUps(database: Database.Database, sql: Sql, from: Naming, into: Naming) {
  const refs = new SourceRefs(database, from, into);
  const publicId = `SELECT 1 FROM ${from("public_ids")} WHERE key = ?`;
  const addPublicId = `INSERT INTO ${into("public_ids")} VALUES (?)`;
  return {
    ...cityOperations(sql, from, into),
    ...optOutOperations(sql, from),
    ...nameOperations(sql, from, into),
    ...contactOperations(sql, from, into),
    ...vehicleOperations(sql, from, into),
    ...apartOperations(sql, from, into),
    ...nearOperations(sql, from, into),
    sourceRef: (key: Buffer): SourceRef | undefined => refs.find(key),
    /** Remembers an accepted line, which has no row yet. */
    addSourceRef: (key: Buffer, content: Buffer): void => refs.add(key, content),
    /** The row that an accepted line has become. */
    setSourceRow: (key: Buffer, row: number): void => refs.setRow(key, row),
    /** Makes room for the references of the next lines. */
    settleSourceRefs: (): void => refs.settle(),
    /** Registers a public id. Returns false if it was registered before. */
    takePublicId: (key: Buffer): boolean => {
      const isNew = sql.value(publicId, key) === undefined;
      if (isNew) sql.run(addPublicId, key);
      return isNew;
    },
  };
}

/** What records are called, and where. */
function nameOperations(sql: Sql, from: Naming, into: Naming) {
  const [names, written] = [from("record_names"), into("record_names")];
  const namesIn = `SELECT place, record, row, level, principal FROM ${names} WHERE city = ? AND name_key = ? ORDER BY row, place`;
  const hasName = `SELECT 1 FROM ${names} WHERE city = ? AND name_key = ? LIMIT 1`;
  const taught = `SELECT name_key AS nameKey, place, record FROM ${names} WHERE level >= 2`;
  const namesOf = `${taught} AND record = ?`;
  const namesAt = `${taught} AND place ${AMONG} ORDER BY record, name_key`;
  const addName = `INSERT INTO ${written} VALUES (?, ?, ?, ?, ?, ?, ?)`;
  const confirm = `UPDATE ${written} SET level = 3 WHERE city = ? AND name_key = ? AND record = ? AND place = ?`;
  return {
    /** Records of a name in a city, each with its places, in the order of the rows that brought them. */
    namesIn: (city: string, nameKey: string): NamePlace[] => sql.all(namesIn, city, nameKey),
    hasName: (city: string, nameKey: string): boolean => sql.value(hasName, city, nameKey) !== undefined,
    /** Every place of a city at which something was seen. */
    placesIn: (city: string): string[] =>
      sql.column(`SELECT DISTINCT place FROM ${names} WHERE city = ?`, city),
    /** What registered sources taught of a record. */
    namesOf: (record: number): NameAt[] => sql.all(namesOf, record),
    /** What registered sources taught at these places, in the order of the records. */
    namesAt: (places: readonly string[]): NameAt[] => sql.all(namesAt, places),
    addName: (city: string, nameKey: string, { place, record, row, level, principal }: NamePlace): void => {
      sql.run(addName, city, nameKey, place, record, row, level, principal ?? null);
    },
    /** Two principals taught what stands there. */
    confirmName: (city: string, nameKey: string, record: number, place: string): void => {
      sql.run(confirm, city, nameKey, record, place);
    },
    /** Forgets the names of a record and where it was seen, and returns them. */
    forgetNames: (record: number): { city: string; nameKey: string }[] => {
      sql.run(`DELETE FROM ${into("apart_places")} WHERE record = ?`, record);
      return sql.all(`DELETE FROM ${written} WHERE record = ? RETURNING city, name_key AS nameKey`, record);
    },
  };
}

/** The contacts and the assets of records. */
function contactOperations(sql: Sql, from: Naming, into: Naming) {
  const [contacts, assets] = [into("record_contacts"), into("assets_index")];
  const claimsOf = `SELECT record, principal FROM ${from("record_contacts")} WHERE city = ? AND key = ? ORDER BY row`;
  const addClaim = `INSERT OR IGNORE INTO ${contacts} VALUES (?, ?, ?, ?, ?)`;
  const assetsOf = `SELECT place, asset, row, level, principal FROM ${from("assets_index")} WHERE record = ? AND type = ? ORDER BY row`;
  const addAsset = `INSERT INTO ${assets} VALUES (?, ?, ?, ?, ?, ?, ?)`;
  const confirm = `UPDATE ${assets} SET level = 3 WHERE record = ? AND type = ? AND asset = ? AND place = ?`;
  return {
    /** Who named a contact in counting rows, for which record, in the order of these rows. */
    claimsOf: (city: string, key: Buffer): ContactClaim[] => sql.all(claimsOf, city, key),
    addClaim: (city: string, key: Buffer, { record, principal }: ContactClaim, row: number): void => {
      sql.run(addClaim, city, key, record, principal, row);
    },
    /** In the order of the rows that brought them. */
    assetsOf: (record: number, type: string): AssetPlace[] => sql.all(assetsOf, record, type),
    addAsset: (record: number, type: string, { asset, place, row, level, principal }: AssetPlace): void => {
      sql.run(addAsset, record, type, asset, place, row, level, principal ?? null);
    },
    forgetAsset: (record: number, type: string, asset: number): void => {
      sql.run(`DELETE FROM ${assets} WHERE record = ? AND type = ? AND asset = ?`, record, type, asset);
    },
    confirmAsset: (record: number, type: string, asset: number, place: string): void => {
      sql.run(confirm, record, type, asset, place);
    },
    /** Forgets everything that rows taught of records, but where vehicles were seen. */
    forgetTaught: (records: readonly number[]): void => {
      for (const table of ["record_names", "record_contacts", "assets_index", "apart_places"] as const)
        sql.run(`DELETE FROM ${into(table)} WHERE record ${AMONG}`, records);
    },
  };
}

/** Records that reviewers keep apart, and those whose names are to be chosen anew. */
function apartOperations(sql: Sql, from: Naming, into: Naming) {
  const [apart, places, unsettled] = [into("apart"), into("apart_places"), into("unsettled_names")];
  const addPlace = `INSERT INTO ${places} VALUES (?, ?, ?, ?, 1)
    ON CONFLICT DO UPDATE SET lat = lat + excluded.lat, lng = lng + excluded.lng, rows = rows + 1`;
  const unsettle = `INSERT OR IGNORE INTO ${unsettled} SELECT value, 0 FROM json_each(?)`;
  const unsettleAdopted = `INSERT OR REPLACE INTO ${unsettled} SELECT value, 1 FROM json_each(?)`;
  return {
    /** Records that are kept apart, each with the others. */
    apart: (): { record: number; other: number }[] =>
      sql.all(`SELECT record, other FROM ${from("apart")} ORDER BY record, other`),
    replaceApart: (pairs: Iterable<{ record: number; other: number }>): void => {
      sql.run(`DELETE FROM ${apart}`);
      for (const { record, other } of pairs)
        sql.run(`INSERT OR IGNORE INTO ${apart} VALUES (?, ?)`, record, other);
      // An erasure can end a pair whose other record it does not touch.
      sql.run(`DELETE FROM ${places} WHERE record NOT IN (SELECT record FROM ${from("apart")})`);
    },
    /** Where counting rows saw a record that is kept apart from others. */
    apartPlaces: (record: number): ApartPlace[] =>
      sql.all(`SELECT place, lat, lng, rows FROM ${from("apart_places")} WHERE record = ?`, record),
    addApartPlace: (record: number, { place, lat, lng }: Omit<ApartPlace, "rows">): void => {
      sql.run(addPlace, record, place, lat, lng);
    },
    /** The names, websites and industries of records are to be chosen anew. */
    unsettle: (...records: readonly number[]): void => {
      sql.run(unsettle, records);
    },
    /** The same for records that nothing counted for until now. */
    unsettleAdopted: (records: readonly number[]): void => {
      sql.run(unsettleAdopted, records);
    },
    /** In order; `adopted` is 1 for those that nothing counted for. */
    unsettled: (): { record: number; adopted: 0 | 1 }[] =>
      sql.all(`SELECT record, adopted FROM ${from("unsettled_names")} ORDER BY record`),
    settleNames: (records: readonly number[]): void => {
      sql.run(`DELETE FROM ${unsettled} WHERE record ${AMONG}`, records);
    },
  };
}

/** Records that are near to others in name and place. */
function nearOperations(sql: Sql, from: Naming, into: Naming) {
  const [near, written] = [from("near_names"), into("near_names")];
  const add = `INSERT OR IGNORE INTO ${written} SELECT ?, value, 0 FROM json_each(?)`;
  const confirm = `UPDATE ${written} SET confirmed = 1 WHERE record = ?`;
  return {
    /** Records that a new one is near to in name and place, until a second counting line says that it is called so. */
    addNear: (record: number, others: readonly number[]): void => {
      sql.run(add, record, others);
    },
    /** Records that wait for their second line. */
    nearWaiting: (): number[] => sql.column(`SELECT DISTINCT record FROM ${near} WHERE NOT confirmed`),
    confirmNear: (record: number): void => {
      sql.run(confirm, record);
    },
    /** Pairs that a reviewer is to be asked about. */
    nearConfirmed: (): { record: number; other: number }[] =>
      sql.all(`SELECT record, other FROM ${near} WHERE confirmed ORDER BY record, other`),
    /** Forgets the pairs of these records that were confirmed. */
    settleNear: (records: readonly number[]): void => {
      sql.run(`DELETE FROM ${written} WHERE confirmed AND record ${AMONG}`, records);
    },
    /** Forgets the pairs that these records are in. */
    forgetNear: (records: readonly number[]): void => {
      sql.run(`DELETE FROM ${written} WHERE record ${AMONG} OR other ${AMONG}`, records, records);
    },
  };
}

function vehicleOperations(sql: Sql, from: Naming, into: Naming) {
  // Whole rows of the key are compared, and the asset is checked here: SQLite prepares a statement anew for each instant where the
  // asset is fixed and the instant is the order.
  const seen = `SELECT asset, instant, lat, lng FROM ${from("vehicle_sightings")} WHERE (asset, instant)`;
  const before = `${seen} <= (?, ?) ORDER BY asset DESC, instant DESC, row DESC LIMIT 1`;
  const after = `${seen} >= (?, ?) ORDER BY asset, instant, row LIMIT 1`;
  const add = `INSERT INTO ${into("vehicle_sightings")} VALUES (?, ?, ?, ?, ?)`;
  return {
    /** The sightings of a vehicle next before and next after an instant (ms), that instant included in both. */
    vehicleSeenAround: (asset: number, instant: number): VehicleSighting[] =>
      [before, after].flatMap((text) => {
        const seen = sql.get<VehicleSighting & { readonly asset: number }>(text, asset, instant);
        return seen?.asset === asset ? [seen] : [];
      }),
    addVehicleSighting: (asset: number, row: number, { instant, lat, lng }: VehicleSighting): void => {
      sql.run(add, asset, instant, row, lat, lng);
    },
    /** Those of these rows, and of rows without private values. */
    forgetVehicleSightings: (rows: readonly number[]): void => {
      sql.run(
        `DELETE FROM ${into("vehicle_sightings")} AS seen WHERE row ${AMONG}
           OR NOT EXISTS (SELECT 1 FROM openings WHERE openings.row = seen.row AND private IS NOT NULL)`,
        rows,
      );
    },
  };
}

const Details = CityBody.shape.details.unwrap();

function cityOperations(sql: Sql, from: Naming, into: Naming) {
  const cities = from("intake_cities");
  const kind = `SELECT synthetic FROM ${from("intake_kind")}`;
  return {
    /** Registered cities in the order of registration. */
    cities: (): IndexedCity[] =>
      sql
        .all<{ slug: string; row: number; details: string }>(
          `SELECT slug, row, details FROM ${cities} ORDER BY row`,
        )
        .map(({ details, ...city }) => ({ ...city, details: Details.parse(JSON.parse(details)) })),
    addCity: (slug: string, row: number, details: CityDetails): void => {
      const text = `INSERT INTO ${into("intake_cities")} VALUES (?, ?, ?, ?)`;
      sql.run(text, slug, row, details.geoname_id, JSON.stringify(details));
    },
    /** Whether the ledger holds demonstration data; undefined before its first observation. */
    isSynthetic: (): boolean | undefined => {
      const synthetic = sql.value<number>(kind);
      return synthetic === undefined ? undefined : synthetic === 1;
    },
    /** Has an effect once: the first observation decides. */
    setSynthetic: (isSynthetic: boolean): void => {
      sql.run(`INSERT OR IGNORE INTO ${into("intake_kind")} VALUES (1, ?)`, isSynthetic ? 1 : 0);
    },
  };
}
