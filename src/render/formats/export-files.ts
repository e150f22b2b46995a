/** The bulk files of the open aggregates, below `/exports/`. */

import type { z } from "zod";
import { ExplorerRow } from "../../contract/cities/explorer.ts";
import { ChangeRow } from "../../contract/service/changes.ts";
import { CellRow, CityCoverageRow } from "../../contract/service/export-tables.ts";
import { explorerTable } from "../../resources/cities/explorer.ts";
import type { ReadContext } from "../../resources/define.ts";
import { cellTable, cityCoverageTable } from "../../resources/export-tables.ts";
import { cityGeoJson } from "./city-geojson.ts";
import { csvText, tableCsv } from "./csv.ts";
import type { DescribedFile } from "./datapackage.ts";
import { parquetBytes } from "./parquet.ts";

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
