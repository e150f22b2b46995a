/** What differs between a release and its patch: the files that mention any of it are made anew. */
import type Database from "better-sqlite3";
import { assertPlainDatabase, openDatabaseFile } from "../../kernel/database-file.ts";
import type { Columns, Table } from "../../kernel/table.ts";
import { SNAPSHOT_KIND } from "../schema.ts";
import { events } from "../tables/cities.ts";
import { assets, explorerFacts, observationPages, records } from "../tables/records.ts";

export interface ChangedContent {
  readonly cities: readonly string[]; // slugs
  readonly records: readonly string[]; // public ids, also of records that are gone
  readonly gone: readonly string[]; // public ids of records
  readonly goneAssets: readonly string[]; // public ids
  readonly goneRows: readonly number[]; // observations
  /**
   * Names, earlier ones too, and websites that only the mended release has. What another record has, or has within its own, is left out:
   * the release may go on showing it.
   */
  readonly goneNames: readonly string[];
  readonly goneWebsites: readonly string[];
}

/** Columns that depend on other records. */
const PLACES = ["position", "observationsFrom", "byRank", "byName", "byObservations", "byLastObserved"];

const PAGES_OF_RECORDS =
  "records JOIN {schema}.observation_pages ON seq >= observations_from AND seq < observations_from + row_count";

/** Compares two snapshots of the same version. Observations, assets and events are compared only in cities whose content differs. */
export function changedContent(before: string, after: string): ChangedContent {
  const db = openDatabaseFile(after, { readonly: true, kind: SNAPSHOT_KIND });
  try {
    assertPlainDatabase(before);
    db.prepare("ATTACH ? AS mended").run(before);
    return compare(db);
  } finally {
    db.close();
  }
}

function compare(db: Database.Database): ChangedContent {
  const column = <T>(sql: string, ...values: readonly unknown[]) =>
    db
      .prepare<unknown[], T>(sql)
      .pluck()
      .all(...values);
  const cities = column<string>(
    "SELECT slug FROM (SELECT slug, snapshot_id FROM mended.cities EXCEPT SELECT slug, snapshot_id FROM main.cities)",
  );
  const ids = new Set(column<number>(differing("id", listOf(records, "records", PLACES), "records")));
  for (const sql of DETAILS.flatMap((detail) => cities.map((city) => [detail, city] as const)))
    for (const id of column<number>(sql[0], { city: sql[1] })) ids.add(id);
  const named = db.prepare<[{ ids: string }], { publicId: string; city: string }>(
    `SELECT public_id AS publicId, city FROM main.records WHERE id IN (SELECT value FROM json_each(:ids))
     UNION SELECT public_id, city FROM mended.records WHERE id IN (SELECT value FROM json_each(:ids))`,
  );
  const listed = JSON.stringify([...ids]);
  const changed = named.all({ ids: listed });
  return {
    cities: [...new Set([...cities, ...changed.map(({ city }) => city)])].sort(),
    records: changed.map(({ publicId }) => publicId).sort(),
    gone: column(
      "SELECT public_id FROM mended.records EXCEPT SELECT public_id FROM main.records ORDER BY public_id",
    ),
    goneAssets: column("SELECT public_id FROM mended.assets EXCEPT SELECT public_id FROM main.assets"),
    goneRows: column(`${rowsOf("mended")} EXCEPT ${rowsOf("main")}`, { ids: listed }),
    goneNames: column(
      goneValues("SELECT name FROM {schema}.records UNION SELECT name FROM {schema}.earlier_names"),
    ),
    goneWebsites: column(goneValues("SELECT website FROM {schema}.records WHERE website IS NOT NULL")),
  };
}

/** `values` may name the schema as `{schema}`. */
function goneValues(values: string): string {
  const [mended, main] = ["mended", "main"].map((schema) => values.replaceAll("{schema}", schema));
  return `WITH now(value) AS (${main}), gone(value) AS (${mended} EXCEPT SELECT value FROM now)
    SELECT value FROM gone
    WHERE NOT EXISTS (SELECT 1 FROM now WHERE instr(lower(now.value), lower(gone.value)) > 0) ORDER BY value`;
}

/** The observations of the records `:ids`. */
function rowsOf(schema: string): string {
  return `SELECT own.value FROM ${schema}.${PAGES_OF_RECORDS}, json_each(observation_pages.rows) own
    WHERE records.id IN (SELECT value FROM json_each(:ids))`.replaceAll("{schema}", schema);
}

/** Statements that return the ledger rows of records of `:city` with other details. */
const DETAILS = [
  differing(
    "record",
    listOf(assets, "assets", []),
    "assets JOIN {schema}.records ON records.id = assets.record WHERE records.city = :city",
  ),
  differing(
    "owner",
    `records.id AS owner, seq - observations_from, ${listOf(observationPages, "observation_pages", ["seq"])}`,
    `${PAGES_OF_RECORDS} WHERE records.city = :city`,
  ),
  differing("record", listOf(events, "events", ["seq"]), "events WHERE events.city = :city"),
  differing(
    "record",
    listOf(explorerFacts, "explorer_facts", []),
    "explorer_facts JOIN {schema}.records ON records.id = explorer_facts.record WHERE records.city = :city",
  ),
];

function listOf<C extends Columns>({ columns }: Table<C>, table: string, without: readonly string[]): string {
  return Object.entries(columns)
    .filter(([property]) => !without.includes(property))
    .map(([property, column]) => `${table}.${column.nameIn(property)}`)
    .join(", ");
}

/** The values of `id` in the rows that only one of the two snapshots has. `from` may name the schema as `{schema}`. */
function differing(id: string, columns: string, from: string): string {
  const select = (schema: string) =>
    `SELECT ${columns} FROM ${schema}.${from.replaceAll("{schema}", schema)}`;
  const [mended, main] = [select("mended"), select("main")];
  return `SELECT ${id} FROM (${mended} EXCEPT ${main}) UNION SELECT ${id} FROM (${main} EXCEPT ${mended})`;
}
