import type { z } from "zod";
import type { Environment } from "../../contract/enums.ts";
import {
  DEMONSTRATION_NOTE,
  OPEN_LICENSE,
  type SiteNamed,
  serviceName,
} from "../../contract/records/claim-boundary.ts";
import {
  CITY_TABLE_FORMATS,
  CITY_TABLE_NAMES,
  CITY_TABLES,
  type CityTableName,
  cityTableFile,
  cityTablePath,
  type ForeignKey,
} from "../../contract/service/city-tables.ts";
import { CellRow, ChangeTableRow, CityCoverageRow, ExplorerRow } from "../../contract/service/exports.ts";
import { type Bytes, sha256Hex } from "../../kernel/hash.ts";
import type { JsonObject } from "../../kernel/text/json.ts";
import { isoDate } from "../../kernel/time.ts";
import { cellFacts, cellTable, cityCoverageTable, explorerTable } from "../../resources/cities/tables.ts";
import type { ReadContext } from "../../resources/define.ts";
import { methodologyUrl } from "../../resources/links.ts";
import { cityGeoJson } from "./city-geojson.ts";
import { type Column, csvText, parquetBytes, tableColumns, tableCsv } from "./tables.ts";

interface LicenceFacts extends SiteNamed, Origin {
  readonly baseUrl: string; // no trailing slash
  readonly asOf: number;
}

interface Origin {
  readonly environment: Environment;
}

/** What the files of a demonstration say beside what they say: the columns of explorer.csv are fixed, and have no room for it. */
function demonstration({ environment }: Origin, between: string): string {
  return environment === "demo" ? `${between}${DEMONSTRATION_NOTE}` : "";
}

/** Attribution line for the aggregates. */
export function attributionText({ baseUrl, asOf, siteName }: LicenceFacts): string {
  return `${serviceName({ siteName })}, data as of ${isoDate(asOf)}, ${baseUrl}/ (${OPEN_LICENSE.name}, ${OPEN_LICENSE.url})`;
}

/** `/exports/LICENSE.txt`. */
export function exportLicence(facts: LicenceFacts): string {
  return `The files in this folder and in cells/ are licensed under the
${OPEN_LICENSE.title} license (${OPEN_LICENSE.name}):
${OPEN_LICENSE.url}

You may share and adapt them for any purpose if you name the source and state
whether you changed the figures. Use this attribution:

  ${attributionText(facts)}

Files of single records are not under this license: changes.json, changes.csv and
everything in city/. The terms of the service apply to them: ${facts.baseUrl}/terms/

The figures count what was observed. A missing or low number never proves absence.${demonstration(facts, "\n")}
`;
}

/** The sentence for what is quoted from single records. */
export function recordsCitation({ baseUrl, asOf, siteName }: LicenceFacts): string {
  return `${serviceName({ siteName })}, data as of ${isoDate(asOf)}, ${baseUrl}/ (terms: ${baseUrl}/terms/)`;
}

interface DescribedTable {
  readonly title: string;
  readonly row: z.ZodObject; // a column each field, in this order
  readonly key: readonly string[];
  readonly foreignKeys: readonly ForeignKey<string>[];
}

const ofCity: ForeignKey<string> = { column: "city", table: "city-coverage", to: "city" };

/** The one description of the tables of all cities; `CITY_TABLES` describes those of one. */
const AGGREGATE_TABLES = {
  explorer: {
    title: "Aggregates by city, industry, asset type and claim state",
    row: ExplorerRow,
    key: ["city", "industry", "asset_type", "claim_state"],
    foreignKeys: [ofCity],
  },
  "city-coverage": {
    title: "Coverage of each city",
    row: CityCoverageRow,
    key: ["city"],
    foreignKeys: [],
  },
  cells: { title: "Map cells of all cities", row: CellRow, key: ["city", "h3_cell"], foreignKeys: [ofCity] },
  changes: {
    title: "Records added, changed and merged since the previous release",
    row: ChangeTableRow,
    key: ["public_id"],
    foreignKeys: [],
  },
} as const satisfies Readonly<Record<string, DescribedTable>>;

/** All tables by name. */
export const EXPORT_TABLES: Readonly<Record<string, DescribedTable>> = {
  ...AGGREGATE_TABLES,
  ...Object.fromEntries(
    CITY_TABLE_NAMES.map((name) => [name, { ...CITY_TABLES[name], key: [CITY_TABLES[name].key] }]),
  ),
};

/** Whether a file below `/exports/` is an aggregate, with an address for each release. */
export function isAggregate(path: string): boolean {
  return /^((explorer|city-coverage)\.(csv|parquet)|cells\.parquet|cells\/[^/]+\.geojson|LICENSE\.txt)$/.test(
    path,
  );
}

export interface ExportFacts extends Origin {
  readonly baseUrl: string; // no trailing slash
  readonly asOf: number;
  readonly files: readonly DescribedFile[];
  /** Slugs of the cities that have tables of single records. */
  readonly cities: readonly string[];
}

/** A file below `/exports/`. */
export interface DescribedFile {
  readonly name: string;
  readonly title: string;
  readonly path: string; // relative to the descriptor; the format forbids absolute paths
  readonly format: keyof typeof FILE_FORMATS;
  readonly table?: keyof typeof AGGREGATE_TABLES;
  readonly city?: string; // slug
  readonly rows?: number;
  /** The whole file; undefined when it depends on more than this release. */
  readonly body?: () => Bytes;
}

export const FILE_FORMATS = {
  csv: { mediatype: "text/csv", encoding: "utf-8" },
  geojson: { mediatype: "application/geo+json", encoding: "utf-8" },
  json: { mediatype: "application/json", encoding: "utf-8" },
  parquet: { mediatype: "application/vnd.apache.parquet" },
} as const;

/** `/exports/datapackage.json`: description of the exports as a Data Package (Frictionless, version 2). */
export function dataPackage({ baseUrl, asOf, environment, files, cities }: ExportFacts): JsonObject {
  const terms = [{ title: "Terms of the service", path: `${baseUrl}/terms/` }];
  return {
    $schema: "https://datapackage.org/profiles/2.0/datapackage.json",
    id: `${baseUrl}/exports/datapackage.json`,
    name: "physical-presence",
    title: "Physical presence: aggregates and records",
    description: `Counts of physically observed brands and assets by city, industry, asset type and claim state, and by map cell; the coverage of each city; and each city's records, assets, observations and events. The data contains what was observed, not what exists: a missing or low number never proves absence.${demonstration({ environment }, " ")}`,
    version: isoDate(asOf),
    homepage: `${baseUrl}/data/`,
    licenses: [{ name: OPEN_LICENSE.name, title: OPEN_LICENSE.title, path: OPEN_LICENSE.url }],
    sources: [
      { title: "Ledger of observations", path: `${baseUrl}/ledger/checkpoint` },
      { title: "Methodology", path: methodologyUrl(baseUrl) },
    ],
    resources: [
      ...files.map((file) => ({
        ...fileResource(file),
        ...(file.table === "changes" ? { licenses: terms } : {}),
      })),
      ...(cities.length === 0
        ? []
        : CITY_TABLE_NAMES.map((table) => ({ ...cityResource(table, cities), licenses: terms }))),
    ],
  };
}

function fileResource({ name, title, path, format, table, body }: DescribedFile): JsonObject {
  return {
    name,
    title,
    path,
    ...(table === undefined ? {} : { type: "table" }),
    format,
    ...FILE_FORMATS[format],
    ...(body === undefined ? {} : sizeAndHash(body())),
    ...(format === "csv" ? { dialect: { lineTerminator: "\r\n" } } : {}),
    ...(table === undefined ? {} : { schema: tableSchema(AGGREGATE_TABLES[table], format) }),
  };
}

/** One table in a file a city. Sizes and hashes are in the index of exports. */
function cityResource(table: CityTableName, cities: readonly string[]): JsonObject {
  return {
    name: table,
    title: `${CITY_TABLES[table].title} of each city`,
    path: cities.map((slug) => cityTablePath(slug, cityTableFile(table, "parquet"))),
    type: "table",
    format: "parquet",
    mediatype: CITY_TABLE_FORMATS.parquet.mediaType,
    schema: tableSchema({ ...CITY_TABLES[table], key: [CITY_TABLES[table].key] }, "parquet"),
  };
}

function sizeAndHash(body: Bytes): JsonObject {
  return { bytes: Buffer.byteLength(body), hash: `sha256:${sha256Hex(body)}` };
}

function tableSchema({ row, key, foreignKeys }: DescribedTable, format: DescribedFile["format"]): JsonObject {
  const columns = tableColumns(row);
  const mayBeNull = columns.some(({ name, nullable }) => nullable && key.includes(name));
  return {
    $schema: "https://datapackage.org/profiles/2.0/tableschema.json",
    fields: columns.map(field),
    ...(mayBeNull ? { uniqueKeys: [[...key]] } : { primaryKey: [...key] }), // a primary key has no null
    ...(foreignKeys.length === 0
      ? {}
      : {
          foreignKeys: foreignKeys.map(({ column, table, to }) => ({
            fields: [column],
            reference: { resource: table, fields: [to] },
          })),
        }),
    ...(format === "csv" ? { missingValues: [""] } : {}),
  };
}

function field({ name, type, description, constraints }: Column): JsonObject {
  return { name, type, description, constraints };
}

/** The bulk files of the open aggregates, below `/exports/`. */

type Snapshot = ReadContext["snapshot"];

export function cityCoverageCsv(snapshot: Snapshot): string {
  return tableCsv(CityCoverageRow.keyof().options, cityCoverageTable(snapshot));
}

interface ParquetExport {
  readonly name: string;
  readonly path: string; // below `exports/`
  readonly table: "explorer" | "city-coverage" | "cells";
  bytes(snapshot: Snapshot): Uint8Array;
}

/** Binary files: the build writes them, and the server never computes them. */
export const PARQUET_EXPORTS: readonly ParquetExport[] = [
  {
    name: "explorer-parquet",
    path: "explorer.parquet",
    table: "explorer",
    bytes: (snapshot) => parquetBytes(ExplorerRow, explorerTable(snapshot), snapshot.release()),
  },
  {
    name: "city-coverage-parquet",
    path: "city-coverage.parquet",
    table: "city-coverage",
    bytes: (snapshot) => parquetBytes(CityCoverageRow, cityCoverageTable(snapshot), snapshot.release()),
  },
  {
    name: "all-cells",
    path: "cells.parquet",
    table: "cells",
    bytes: (snapshot) => parquetBytes(CellRow, cellTable(snapshot), snapshot.release()),
  },
];

/** All aggregates below `/exports/`, and the changes. */
export function describedFiles(snapshot: Snapshot): DescribedFile[] {
  const explorer = explorerTable(snapshot);
  const cities = snapshot.cities();
  const cells = cities.map((city) => cellFacts(snapshot, city).length);
  const rows = {
    explorer: explorer.length,
    "city-coverage": cities.length,
    cells: cells.reduce((sum, count) => sum + count, 0),
  };
  const csv = (table: "explorer" | "city-coverage", body: () => Bytes) => ({
    name: table,
    title: AGGREGATE_TABLES[table].title,
    path: `${table}.csv`,
    format: "csv" as const,
    ...{ table, rows: rows[table], body },
  });
  return [
    csv("explorer", () => csvText(explorer)),
    csv("city-coverage", () => cityCoverageCsv(snapshot)),
    ...PARQUET_EXPORTS.map(({ bytes, table, ...file }) => ({
      ...{ ...file, table },
      title: `${AGGREGATE_TABLES[table].title}, as Parquet`,
      format: "parquet" as const,
      rows: rows[table],
      body: () => bytes(snapshot),
    })),
    {
      name: "changes",
      title: AGGREGATE_TABLES.changes.title,
      path: "changes.csv",
      format: "csv",
      table: "changes",
    },
    ...cities.map(({ slug, name }, at) => ({
      name: `cells-${slug}`,
      title: `Map cells of ${name}`,
      path: `cells/${encodeURIComponent(slug)}.geojson`,
      format: "geojson" as const,
      city: slug,
      ...{ rows: cells[at] ?? 0, body: () => cityGeoJson(snapshot, slug) },
    })),
  ];
}
