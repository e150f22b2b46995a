import type { z } from "zod";
import { OPEN_LICENSE } from "../../contract/records/claim-boundary.ts";
import { type Bytes, sha256Hex } from "../../kernel/hash.ts";
import type { JsonObject } from "../../kernel/text/canonical-json.ts";
import { isoDate } from "../../kernel/time.ts";
import { methodologyUrl } from "../../resources/links.ts";
import { type Column, tableColumns } from "./table-columns.ts";

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
