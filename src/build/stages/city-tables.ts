import { LICENSE, serviceName } from "../../contract/records/claim-boundary.ts";
import {
  CITY_TABLE_FORMAT_NAMES,
  CITY_TABLE_NAMES,
  CITY_TABLES,
  CITY_TABLES_NOTE,
  CITY_TABLES_WITHHELD,
  type CityTableEntry,
  type CityTableName,
  CityTables,
  cityTableFile,
  cityTablesFolder,
} from "../../contract/service/city-tables.ts";
import { jsonText } from "../../render/formats/media-types.ts";
import { csvGzipWriter, parquetWriter } from "../../render/formats/table-writers.ts";
import { tableColumns } from "../../render/formats/tables.ts";
import { cityRef } from "../../resources/cities/cities.ts";
import { CityTablesSource } from "../../resources/cities/city-tables.ts";
import { timeOrNull } from "../../resources/envelope.ts";
import type { CityRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { BuildEffects, OpenFile } from "../effects.ts";
import { type WriteTask, writeInShares } from "./shares.ts";

/** Writes the tables of each city: a thread takes whole cities. */
export function writeCityTables(
  task: WriteTask,
  cities: number,
  effects: BuildEffects,
  onProgress: (files: number) => void,
): Promise<void> {
  const module = new URL("./threads/city-tables-worker.ts", import.meta.url);
  return writeInShares({ module, worth: Math.max(1, cities) }, task, effects, onProgress);
}

export function cityTablesIndexPath({ slug }: CityRow): string {
  return `${cityTablesFolder(slug)}index.json`;
}

/** The files of a city, by the index that lists them. */
export function cityTablePaths(city: CityRow, { files }: CityTables): string[] {
  return [cityTablesIndexPath(city), ...files.map(({ path }) => cityTablesFolder(city.slug) + path)];
}

interface Output {
  open(path: string): OpenFile;
  /** The index of an earlier release: the files of the observations stay while their rows do. */
  readonly earlier?: CityTables | undefined;
  /** Takes these files from that release; false, and nothing is done, if one of them cannot be had. */
  keepAll?(paths: readonly string[]): boolean;
}

/** Makes the tables of a city; returns their index, which is left to be written. */
export function makeCityTables(snapshot: Snapshot, city: CityRow, output: Output): string {
  const source = new CityTablesSource(snapshot, city);
  const facts = factsOf(snapshot, city);
  if (source.isWithheld())
    return indexText({ ...facts, withheld: CITY_TABLES_WITHHELD, observations_digest: null, files: [] });
  const digest = source.observationsDigest();
  const files = CITY_TABLE_NAMES.flatMap((table) => {
    const kept = table === "observations" ? unchanged(city, digest, output) : undefined;
    return kept ?? makeTable(source, table, facts, output);
  });
  return indexText({ ...facts, withheld: null, observations_digest: digest, files });
}

function indexText(index: CityTables): string {
  return jsonText(CityTables.parse(index));
}

/** The files of the observations, where the earlier release has them of the same rows. */
function unchanged(
  city: CityRow,
  digest: string,
  { earlier, keepAll }: Output,
): CityTableEntry[] | undefined {
  if (earlier === undefined || earlier.observations_digest !== digest) return undefined;
  const files = earlier.files.filter(({ table }) => table === "observations");
  const paths = files.map(({ path }) => cityTablesFolder(city.slug) + path);
  return keepAll?.(paths) === true ? files : undefined;
}

/** Both formats from one reading of the rows. */
function makeTable(
  source: CityTablesSource,
  table: CityTableName,
  { city, ...facts }: ReturnType<typeof factsOf>,
  { open }: Output,
): CityTableEntry[] {
  const { row, cells } = CITY_TABLES[table];
  const columns = tableColumns(row);
  const metadata = { table, city: city.slug, ...facts };
  const files = CITY_TABLE_FORMAT_NAMES.map((format) => {
    const path = cityTableFile(table, format);
    return { format, path, file: open(cityTablesFolder(city.slug) + path) };
  });
  const writers = files.map(({ format, file: { append } }) =>
    format === "csv" ? csvGzipWriter(columns, append) : parquetWriter(columns, { metadata, cells }, append),
  );
  let rows = 0;
  for (const group of source.groups(table)) {
    for (const writer of writers) writer.add(group);
    rows += group.rows;
  }
  for (const writer of writers) writer.end();
  return files.map(({ file, ...facts }) => ({ table, ...facts, rows, ...file.close() }));
}

/** None of it names the release, so that a table whose rows stay the same is the same file. */
function factsOf(snapshot: Snapshot, city: CityRow) {
  const release = snapshot.release();
  return {
    city: cityRef(city),
    service: serviceName(release),
    is_synthetic: release.environment === "demo",
    license: LICENSE,
    terms_url: `${release.baseUrl}/terms/`,
    note: CITY_TABLES_NOTE,
    published_until: timeOrNull(snapshot.lastPublishedIn(city.slug)),
  };
}
