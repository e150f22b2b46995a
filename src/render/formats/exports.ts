import type { z } from "zod";
import { OPEN_LICENSE, SERVICE } from "../../contract/records/claim-boundary.ts";
import { CellRow, ChangeRow, CityCoverageRow, ExplorerRow } from "../../contract/service/exports.ts";
import { type Bytes, sha256Hex } from "../../kernel/hash.ts";
import type { JsonObject } from "../../kernel/text/json.ts";
import { isoDate } from "../../kernel/time.ts";
import { cellTable, cityCoverageTable, explorerTable } from "../../resources/cities/tables.ts";
import type { ReadContext } from "../../resources/define.ts";
import { methodologyUrl } from "../../resources/links.ts";
import { cityGeoJson } from "./city-geojson.ts";
import { type Column, csvText, parquetBytes, tableColumns, tableCsv } from "./tables.ts";

interface LicenceFacts {
  readonly baseUrl: string; // no trailing slash
  readonly asOf: number;
}

/** Attribution line for the aggregates. */
export function attributionText({ baseUrl, asOf }: LicenceFacts): string {
  return `${SERVICE}, data as of ${isoDate(asOf)}, ${baseUrl}/ (${OPEN_LICENSE.name}, ${OPEN_LICENSE.url})`;
}

/** `/exports/LICENSE.txt`. */
export function exportLicence(facts: LicenceFacts): string {
  return `The files in this folder and in cells/ are licensed under the
${OPEN_LICENSE.title} license (${OPEN_LICENSE.name}):
${OPEN_LICENSE.url}

You may share and adapt them for any purpose if you name the source and state
whether you changed the figures. Use this attribution:

  ${attributionText(facts)}

Two files contain single records and are not under this license: changes.json and
changes.csv. The terms of the service apply to them: ${facts.baseUrl}/terms/

The figures count what was observed. A missing or low number never proves absence.
`;
}

export interface ExportFacts {
  readonly baseUrl: string; // no trailing slash
  readonly asOf: number;
  readonly files: readonly DescribedFile[];
}

/** A file below `/exports/`, as described by its resource in the data package. */
export interface DescribedFile {
  readonly name: string;
  readonly title: string;
  readonly path: string; // relative to the descriptor; the format forbids absolute paths
  readonly format: keyof typeof FORMATS;
  readonly row?: z.ZodObject; // of a table's columns
  /** The whole file; undefined when it depends on more than this release. */
  readonly body?: Bytes;
}

const FORMATS = {
  csv: { mediatype: "text/csv", encoding: "utf-8" },
  geojson: { mediatype: "application/geo+json", encoding: "utf-8" },
  json: { mediatype: "application/json", encoding: "utf-8" },
  parquet: { mediatype: "application/vnd.apache.parquet" },
} as const;

/** `/exports/datapackage.json`: description of the exports as a Data Package (Frictionless, version 2). */
export function dataPackage({ baseUrl, asOf, files }: ExportFacts): JsonObject {
  return {
    $schema: "https://datapackage.org/profiles/2.0/datapackage.json",
    name: "physical-presence-aggregates",
    title: "Physical presence aggregates",
    description:
      "Counts of physically observed brands and assets by city, industry, asset type and claim state, and by map cell; and the coverage of each city. The data contains what was observed, not what exists: a missing or low number never proves absence.",
    version: isoDate(asOf),
    homepage: `${baseUrl}/`,
    licenses: [{ name: OPEN_LICENSE.name, title: OPEN_LICENSE.title, path: OPEN_LICENSE.url }],
    sources: [
      { title: "Ledger of observations", path: `${baseUrl}/ledger/checkpoint` },
      { title: "Methodology", path: methodologyUrl(baseUrl) },
    ],
    resources: files.map(resource),
  };
}

function resource({ name, title, path, format, row, body }: DescribedFile): JsonObject {
  return {
    name,
    title,
    path,
    ...(row === undefined ? {} : { type: "table" }),
    format,
    ...FORMATS[format],
    ...(body === undefined ? {} : sizeAndHash(body)),
    ...(format === "csv" ? { dialect: { lineTerminator: "\r\n" } } : {}),
    ...(row === undefined ? {} : { schema: tableSchema(row, format) }),
  };
}

function sizeAndHash(body: Bytes): JsonObject {
  return { bytes: Buffer.byteLength(body), hash: `sha256:${sha256Hex(body)}` };
}

function tableSchema(row: z.ZodObject, format: DescribedFile["format"]): JsonObject {
  return {
    $schema: "https://datapackage.org/profiles/2.0/tableschema.json",
    fields: tableColumns(row).map(field),
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
  readonly title: string;
  readonly path: string; // below `exports/`
  readonly row: z.ZodObject;
  bytes(snapshot: Snapshot): Uint8Array;
}

/** Binary files: the build writes them, and the server never computes them. */
export const PARQUET_EXPORTS: readonly ParquetExport[] = [
  {
    name: "explorer-parquet",
    title: "Aggregates of all cities, as Parquet",
    path: "explorer.parquet",
    row: ExplorerRow,
    bytes: (snapshot) => parquetBytes(ExplorerRow, explorerTable(snapshot)),
  },
  {
    name: "city-coverage-parquet",
    title: "Coverage of each city, as Parquet",
    path: "city-coverage.parquet",
    row: CityCoverageRow,
    bytes: (snapshot) => parquetBytes(CityCoverageRow, cityCoverageTable(snapshot)),
  },
  {
    name: "all-cells",
    title: "Map cells of all cities, as Parquet",
    path: "cells.parquet",
    row: CellRow,
    bytes: (snapshot) => parquetBytes(CellRow, cellTable(snapshot)),
  },
];

/** All files below `/exports/` that the data package describes. */
export function describedFiles(snapshot: Snapshot): DescribedFile[] {
  return [
    {
      name: "explorer",
      title: "Aggregates of all cities",
      path: "explorer.csv",
      format: "csv",
      row: ExplorerRow,
      body: csvText(explorerTable(snapshot)),
    },
    {
      name: "city-coverage",
      title: "Coverage of each city",
      path: "city-coverage.csv",
      format: "csv",
      row: CityCoverageRow,
      body: cityCoverageCsv(snapshot),
    },
    ...PARQUET_EXPORTS.map(({ bytes, ...file }) => ({
      ...file,
      format: "parquet" as const,
      body: bytes(snapshot),
    })),
    {
      name: "changes",
      title: "Records added, changed and removed since the previous release",
      path: "changes.csv",
      format: "csv",
      row: ChangeRow,
    },
    ...snapshot.cities().map(({ slug, name }) => ({
      name: `cells-${slug}`,
      title: `Map cells of ${name}`,
      path: `cells/${encodeURIComponent(slug)}.geojson`,
      format: "geojson" as const,
      body: cityGeoJson(snapshot, slug),
    })),
  ];
}
