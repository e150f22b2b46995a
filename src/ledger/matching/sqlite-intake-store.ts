import type Database from "better-sqlite3";
import { statements } from "../database/statements.ts";
import { WaitingLooks } from "../looks/waiting-looks.ts";
import { CityBody } from "../rows/rows.ts";
import type { IntakeStore, NameAt, OptOutSource, VehicleSighting } from "./intake-store.ts";
import { createDryRunTables, type IntakeTable } from "./intake-tables.ts";
import { SourceRefs } from "./source-refs.ts";

/** The store in the ledger's own file. */
export function intakeStore(database: Database.Database): IntakeStore {
  const name = (table: IntakeTable) => `main.${table}`;
  return { ...storeOn(database, name, name), ...pendingOperations(database), ...lookOperations(database) };
}

/** A store that reads the ledger's tables, keeps what is written in temporary tables, and drops pending lines. */
export function dryRunIntakeStore(database: Database.Database): IntakeStore {
  createDryRunTables(database);
  const store = storeOn(
    database,
    (table) => `(SELECT * FROM main.${table} UNION ALL SELECT * FROM temp.dry_${table})`,
    (table) => `temp.dry_${table}`,
  );
  const nothing = () => undefined;
  const dry = { addPending: nothing, nextBatch: () => "", addLook: nothing, settleSourceRefs: nothing };
  return { ...store, ...lookOperations(database), ...dry };
}

function pendingOperations(database: Database.Database): PendingOperations {
  const { value, run } = statements(database);
  const add = run<[string, string, number, number, Buffer, string]>(
    "INSERT INTO pending (source, batch, line, state, day, key, input) VALUES (?, ?, ?, 'waiting', ?, ?, ?)",
  );
  const next = value<[], number>(
    "INSERT INTO intake_batches VALUES (1, 1) ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last",
  );
  return {
    addPending: ({ source, batch, line, day, key, input }) => add(source, batch, line, day, key, input),
    nextBatch: () => `b${next()}`,
  };
}

type LookOperations = Pick<
  IntakeStore,
  "addLook" | "looksClosed" | "eligibleDetails" | "replaceEligible" | "replaceCity"
>;

function lookOperations(database: Database.Database): LookOperations {
  const looks = new WaitingLooks(database);
  const { value, run } = statements(database);
  const details = value<[string], string>(
    `SELECT coalesce(replaced.details, cities.details) FROM intake_cities cities
     LEFT JOIN city_denominators replaced USING (slug) WHERE slug = ?`,
  );
  const replaceArea = run<[string, string]>("UPDATE intake_cities SET details = ? WHERE slug = ?");
  const replace = run<[string, number, string]>("INSERT OR REPLACE INTO city_denominators VALUES (?, ?, ?)");
  return {
    addLook: (look) => looks.add(look),
    looksClosed: (city) => looks.closedThrough(city),
    eligibleDetails: (slug) => {
      const json = details(slug);
      return json === undefined ? undefined : Details.parse(JSON.parse(json));
    },
    replaceEligible: (slug, row, body) => replace(slug, row, JSON.stringify(body)),
    replaceCity: (slug, row, body) => {
      const json = JSON.stringify(body);
      replaceArea(json, slug);
      replace(slug, row, json);
    },
  };
}

type PendingOperations = Pick<IntakeStore, "addPending" | "nextBatch">;
type Naming = (table: IntakeTable) => string;

/** `from` and `into` give the SQL name of a table for reading and for writing. */
function storeOn(
  database: Database.Database,
  from: Naming,
  into: Naming,
): Omit<IntakeStore, keyof PendingOperations | keyof LookOperations> {
  const { value, run } = statements(database);
  const refs = new SourceRefs(database, from, into);
  const publicId = value<[Buffer], number>(`SELECT 1 FROM ${from("public_ids")} WHERE key = ?`);
  const addPublicId = run<[Buffer]>(`INSERT INTO ${into("public_ids")} VALUES (?)`);
  return {
    ...cityOperations(database, from, into),
    ...optOutOperations(database, from),
    ...noveltyOperations(database, from),
    ...vehicleOperations(database, from, into),
    ...taughtOperations(database, from, into),
    ...apartOperations(database, from, into),
    ...nearOperations(database, from, into),
    sourceRef: refs.find,
    addSourceRef: refs.add,
    setSourceRow: (key, row) => refs.setRow(key, row),
    settleSourceRefs: () => refs.settle(),
    takePublicId: (key) => {
      const isNew = publicId(key) === undefined;
      if (isNew) addPublicId(key);
      return isNew;
    },
  };
}

type TaughtOperations = Pick<
  IntakeStore,
  | "namesIn"
  | "namesOf"
  | "namesAt"
  | "addName"
  | "forgetNames"
  | "claimsOf"
  | "addClaim"
  | "assetsOf"
  | "confirmName"
  | "addAsset"
  | "forgetAsset"
  | "confirmAsset"
  | "forgetTaught"
>;

const SET = "(SELECT value FROM json_each(?))";

/** What rows taught of records. */
function taughtOperations(database: Database.Database, from: Naming, into: Naming): TaughtOperations {
  const { all, run } = statements(database);
  const names = from("record_names");
  const addName = run(`INSERT INTO ${into("record_names")} VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const addClaim = run(`INSERT OR IGNORE INTO ${into("record_contacts")} VALUES (?, ?, ?, ?, ?)`);
  const confirmed = (table: "record_names" | "assets_index") => `UPDATE ${into(table)} SET level = 3 WHERE`;
  const addAsset = run(`INSERT INTO ${into("assets_index")} VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const namesAt = all<[string], NameAt>(
    `SELECT name_key AS nameKey, place, record FROM ${names} WHERE place IN ${SET} AND level >= 2 ORDER BY record, name_key`,
  );
  const forgetPlaces = run<[number]>(`DELETE FROM ${into("apart_places")} WHERE record = ?`);
  const forgetNames = all<[number], { city: string; nameKey: string }>(
    `DELETE FROM ${into("record_names")} WHERE record = ? RETURNING city, name_key AS nameKey`,
  );
  const forget = (["record_names", "record_contacts", "assets_index", "apart_places"] as const).map((table) =>
    run<[string]>(`DELETE FROM ${into(table)} WHERE record IN ${SET}`),
  );
  return {
    namesIn: all(
      `SELECT place, record, row, level, principal FROM ${names} WHERE city = ? AND name_key = ? ORDER BY row, place`,
    ),
    namesOf: all(`SELECT name_key AS nameKey, place, record FROM ${names} WHERE record = ? AND level >= 2`),
    namesAt: (places) => namesAt(JSON.stringify(places)),
    addName: (city, key, { place, record, row, level, principal }) =>
      addName(city, key, place, record, row, level, principal ?? null),
    confirmName: run(`${confirmed("record_names")} city = ? AND name_key = ? AND record = ? AND place = ?`),
    forgetNames: (record) => {
      forgetPlaces(record);
      return forgetNames(record);
    },
    claimsOf: all(
      `SELECT record, principal FROM ${from("record_contacts")} WHERE city = ? AND key = ? ORDER BY row`,
    ),
    addClaim: (city, key, { record, principal }, row) => addClaim(city, key, record, principal, row),
    assetsOf: all(
      `SELECT place, asset, row, level, principal FROM ${from("assets_index")} WHERE record = ? AND type = ? ORDER BY row`,
    ),
    addAsset: (record, type, { asset, place, row, level, principal }) =>
      addAsset(record, type, asset, place, row, level, principal ?? null),
    forgetAsset: run(`DELETE FROM ${into("assets_index")} WHERE record = ? AND type = ? AND asset = ?`),
    confirmAsset: run(`${confirmed("assets_index")} record = ? AND type = ? AND asset = ? AND place = ?`),
    forgetTaught: (records) => {
      for (const run of forget) run(JSON.stringify(records));
    },
  };
}

type ApartOperations = Pick<
  IntakeStore,
  | "apart"
  | "replaceApart"
  | "apartPlaces"
  | "addApartPlace"
  | "unsettle"
  | "unsettleAdopted"
  | "unsettled"
  | "settleNames"
>;

/** Records that reviewers keep apart, and those whose names are to be chosen anew. */
function apartOperations(database: Database.Database, from: Naming, into: Naming): ApartOperations {
  const { all, run } = statements(database);
  const empty = run<[]>(`DELETE FROM ${into("apart")}`);
  const add = run<[number, number]>(`INSERT OR IGNORE INTO ${into("apart")} VALUES (?, ?)`);
  // An erasure can end a pair whose other record it does not touch.
  const forgetPlaces = run<[]>(
    `DELETE FROM ${into("apart_places")} WHERE record NOT IN (SELECT record FROM ${from("apart")})`,
  );
  const addPlace = run<[number, string, number, number]>(
    `INSERT INTO ${into("apart_places")} VALUES (?, ?, ?, ?, 1)
     ON CONFLICT DO UPDATE SET lat = lat + excluded.lat, lng = lng + excluded.lng, rows = rows + 1`,
  );
  const unsettle = run<[string]>(
    `INSERT OR IGNORE INTO ${into("unsettled_names")} SELECT value, 0 FROM json_each(?)`,
  );
  const unsettleAdopted = run<[string]>(
    `INSERT OR REPLACE INTO ${into("unsettled_names")} SELECT value, 1 FROM json_each(?)`,
  );
  const settle = run<[string]>(`DELETE FROM ${into("unsettled_names")} WHERE record IN ${SET}`);
  return {
    apart: all(`SELECT record, other FROM ${from("apart")} ORDER BY record, other`),
    replaceApart: (pairs) => {
      empty();
      for (const { record, other } of pairs) add(record, other);
      forgetPlaces();
    },
    apartPlaces: all(`SELECT place, lat, lng, rows FROM ${from("apart_places")} WHERE record = ?`),
    addApartPlace: (record, { place, lat, lng }) => addPlace(record, place, lat, lng),
    unsettle: (...records) => unsettle(JSON.stringify(records)),
    unsettleAdopted: (records) => unsettleAdopted(JSON.stringify(records)),
    unsettled: all(`SELECT record, adopted FROM ${from("unsettled_names")} ORDER BY record`),
    settleNames: (records) => settle(JSON.stringify(records)),
  };
}

type NearOperations = Pick<
  IntakeStore,
  "addNear" | "nearWaiting" | "confirmNear" | "nearConfirmed" | "settleNear" | "forgetNear"
>;

/** Records that are near to others in name and place. */
function nearOperations(database: Database.Database, from: Naming, into: Naming): NearOperations {
  const { all, run } = statements(database);
  const add = run<[number, string]>(
    `INSERT OR IGNORE INTO ${into("near_names")} SELECT ?, value, 0 FROM json_each(?)`,
  );
  const waiting = all<[], { record: number }>(
    `SELECT DISTINCT record FROM ${from("near_names")} WHERE NOT confirmed`,
  );
  const settle = run<[string]>(`DELETE FROM ${into("near_names")} WHERE confirmed AND record IN ${SET}`);
  const forget = run<[string, string]>(
    `DELETE FROM ${into("near_names")} WHERE record IN ${SET} OR other IN ${SET}`,
  );
  return {
    addNear: (record, others) => add(record, JSON.stringify(others)),
    nearWaiting: () => waiting().map(({ record }) => record),
    confirmNear: run(`UPDATE ${into("near_names")} SET confirmed = 1 WHERE record = ?`),
    nearConfirmed: all(
      `SELECT record, other FROM ${from("near_names")} WHERE confirmed ORDER BY record, other`,
    ),
    settleNear: (records) => settle(JSON.stringify(records)),
    forgetNear: (records) => forget(JSON.stringify(records), JSON.stringify(records)),
  };
}

type VehicleOperations = Pick<
  IntakeStore,
  "vehicleSeenAround" | "addVehicleSighting" | "forgetVehicleSightings"
>;
type SeenVehicle = VehicleSighting & { readonly asset: number };

function vehicleOperations(database: Database.Database, from: Naming, into: Naming): VehicleOperations {
  const { get, run } = statements(database);
  // Whole rows of the key are compared, and the caller checks the asset: SQLite prepares a statement anew for each instant where the
  // asset is fixed and the instant is the order.
  const sightings = `SELECT asset, instant, lat, lng FROM ${from("vehicle_sightings")} WHERE (asset, instant)`;
  const seenBefore = get<[number, number], SeenVehicle>(
    `${sightings} <= (?, ?) ORDER BY asset DESC, instant DESC, row DESC LIMIT 1`,
  );
  const seenAfter = get<[number, number], SeenVehicle>(
    `${sightings} >= (?, ?) ORDER BY asset, instant, row LIMIT 1`,
  );
  const addVehicle = run<[number, number, number, number, number]>(
    `INSERT INTO ${into("vehicle_sightings")} VALUES (?, ?, ?, ?, ?)`,
  );
  const forget = run<[string]>(
    `DELETE FROM ${into("vehicle_sightings")} AS seen WHERE row IN ${SET}
       OR NOT EXISTS (SELECT 1 FROM openings WHERE openings.row = seen.row AND private IS NOT NULL)`,
  );
  return {
    forgetVehicleSightings: (rows) => forget(JSON.stringify(rows)),
    vehicleSeenAround: (asset, instant) =>
      [seenBefore(asset, instant), seenAfter(asset, instant)].flatMap((seen) =>
        seen?.asset === asset ? [seen] : [],
      ),
    addVehicleSighting: (asset, row, { instant, lat, lng }) => addVehicle(asset, instant, row, lat, lng),
  };
}

/** An opt-out is written by an erasure alone (`IntakeTraces`). */
function optOutOperations(database: Database.Database, from: Naming): OptOutSource {
  const { all, value } = statements(database);
  const name = value<[Buffer], number>(`SELECT 1 FROM ${from("opt_outs")} WHERE key = ?`);
  const any = value<[], number>(
    `SELECT 1 WHERE EXISTS (SELECT 1 FROM ${from("opt_outs")}) OR EXISTS (SELECT 1 FROM ${from("opt_out_facts")})`,
  );
  return {
    isOptedOut: (key) => name(key) !== undefined,
    hasOptOuts: () => any() !== undefined,
    optOutFacts: all(
      `SELECT key, opt_out AS optOut, weight, asset_type AS assetType, expires_at AS expiresAt
       FROM ${from("opt_out_facts")} WHERE key = ? AND coalesce(expires_at > ?, 1) ORDER BY opt_out`,
    ),
    optOutWords: all(
      `SELECT opt_out AS optOut, name, word, key FROM ${from("opt_out_words")} WHERE opt_out = ? ORDER BY name, word, key`,
    ),
  };
}

/** What no night before had. */
function noveltyOperations(
  database: Database.Database,
  from: Naming,
): Pick<IntakeStore, "hasName" | "placesIn"> {
  const { all, value } = statements(database);
  const known = value<[string, string], number>(
    `SELECT 1 FROM ${from("record_names")} WHERE city = ? AND name_key = ? LIMIT 1`,
  );
  const places = all<[string], { place: string }>(
    `SELECT DISTINCT place FROM ${from("record_names")} WHERE city = ?`,
  );
  return {
    hasName: (city, nameKey) => known(city, nameKey) !== undefined,
    placesIn: (city) => places(city).map(({ place }) => place),
  };
}

const Details = CityBody.shape.details.unwrap();

type CityOperations = Pick<IntakeStore, "cities" | "addCity" | "isSynthetic" | "setSynthetic">;

function cityOperations(database: Database.Database, from: Naming, into: Naming): CityOperations {
  const { all, value, run } = statements(database);
  const cities = all<[], { slug: string; details: string }>(
    `SELECT slug, details FROM ${from("intake_cities")} ORDER BY row`,
  );
  const addCity = run<[string, number, number, string]>(
    `INSERT INTO ${into("intake_cities")} VALUES (?, ?, ?, ?)`,
  );
  const kind = value<[], number>(`SELECT synthetic FROM ${from("intake_kind")}`);
  const setKind = run<[number]>(`INSERT OR IGNORE INTO ${into("intake_kind")} VALUES (1, ?)`);
  return {
    cities: () =>
      cities().map(({ slug, details }) => ({ slug, details: Details.parse(JSON.parse(details)) })),
    addCity: (slug, row, details) => addCity(slug, row, details.geoname_id, JSON.stringify(details)),
    isSynthetic: () => {
      const synthetic = kind();
      return synthetic === undefined ? undefined : synthetic === 1;
    },
    setSynthetic: (isSynthetic) => setKind(isSynthetic ? 1 : 0),
  };
}
