import { parse } from "csv-parse/sync";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { day, fakeCity } from "../../../tests/support/release/fake-rows.ts";
import { fakeSnapshot } from "../../../tests/support/release/fake-snapshot.ts";
import { CityCoverageRow, EXPLORER_COLUMNS, ExplorerRow } from "../../contract/service/exports.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { cellTable, explorerTable } from "../../resources/cities/tables.ts";
import { cityCoverageCsv, dataPackage, describedFiles, EXPORT_TABLES, PARQUET_EXPORTS } from "./exports.ts";
import { stacCollection } from "./stac.ts";
import { csvText, parquetBytes, tableColumns } from "./tables.ts";

test.each(Object.entries(EXPORT_TABLES))("each column of %s has a description", (_, { row }) => {
  const blank = tableColumns(row).filter(({ description }) => description.length < 10);
  expect(blank.map(({ name }) => name)).toEqual([]);
});

describe("datapackage", () => {
  const explorerCsv = "city,industry\r\nalpha,5610\r\n";
  const explorer = {
    name: "explorer",
    title: "Aggregates",
    path: "explorer.csv",
    format: "csv",
    table: "explorer",
  } as const;
  const alpha = {
    name: "cells-alpha",
    title: "Cells",
    path: "cells/alpha.geojson",
    format: "geojson",
  } as const;
  const described = dataPackage({
    baseUrl: "https://presence.test",
    asOf: Date.parse("2026-06-30T10:00:00Z"),
    environment: "demo",
    files: [
      { ...explorer, body: () => explorerCsv },
      { ...alpha, body: () => "{}\n" },
    ],
    cities: [],
  });

  /** What the profile requires, and the types that Table Schema knows. */
  const Field = z.strictObject({
    name: z.string(),
    type: z.enum(["string", "integer", "number", "boolean", "date"]),
    description: z.string().min(10),
    constraints: z.strictObject({
      required: z.boolean().optional(),
      enum: z.array(z.string()).min(1).optional(),
      minimum: z.number().optional(),
      maximum: z.number().optional(),
    }),
  });
  const Package = z.looseObject({
    $schema: z.literal("https://datapackage.org/profiles/2.0/datapackage.json"),
    name: z.string().regex(/^[a-z0-9._-]+$/),
    version: z.string(),
    licenses: z.array(z.strictObject({ name: z.string(), title: z.string(), path: z.url() })).min(1),
    sources: z.array(z.strictObject({ title: z.string(), path: z.url() })).min(1),
    resources: z.tuple([
      z.looseObject({
        name: z.string(),
        path: z.string().regex(/^[^/.\\][^/\\]*$/), // relative, beside the descriptor
        hash: z.string(),
        bytes: z.int(),
        schema: z.looseObject({ fields: z.array(Field) }),
      }),
      z.strictObject({
        name: z.string().regex(/^[a-z0-9._-]+$/),
        title: z.string(),
        path: z.string().regex(/^[^/.\\][^\\]*\.geojson$/),
        format: z.literal("geojson"),
        mediatype: z.literal("application/geo+json"),
        encoding: z.literal("utf-8"),
        hash: z.string(),
        bytes: z.int(),
      }),
    ]),
  });

  test("describes the files beside it and below", () => {
    const { version, licenses, resources } = Package.parse(described);
    expect(version).toBe("2026-06-30");
    expect(licenses[0]?.name).toBe("CC-BY-4.0");
    expect(resources[0]).toMatchObject({
      path: "explorer.csv",
      bytes: explorerCsv.length,
      hash: `sha256:${sha256Hex(explorerCsv)}`,
    });
    expect(resources[1]).toMatchObject({
      name: "cells-alpha",
      path: "cells/alpha.geojson",
      bytes: 3,
      hash: `sha256:${sha256Hex("{}\n")}`,
    });
  });

  test("has a field for each column, in order, of its type", () => {
    const [{ schema }] = Package.parse(described).resources;
    expect(schema.fields.map(({ name }) => name)).toEqual(EXPLORER_COLUMNS);
    const field = (wanted: string) => schema.fields.find(({ name }) => name === wanted);
    expect(field("city")).toMatchObject({ type: "string", constraints: { required: true } });
    expect(field("industry")).toMatchObject({ type: "string", constraints: {} });
    expect(field("asset_type")?.constraints.enum).toContain("storefront");
    expect(field("entities")).toMatchObject({ type: "integer", constraints: { required: true, minimum: 0 } });
    expect(field("avg_pps")).toMatchObject({ type: "number", constraints: { minimum: 0, maximum: 100 } });
    expect(field("avg_pps")?.constraints.required).toBeUndefined();
    expect(field("last_observed")).toMatchObject({ type: "date" });
  });
});

describe("export files", () => {
  const explorerRow = {
    city: "alpha",
    industry: null,
    assetType: "storefront",
    claimState: "unclaimed",
    entities: 3,
    observations: 12,
    observedCells: 2,
    assets: 4,
    avgPps: 55.25,
    avgPercentile: null,
    firstObserved: day(40),
    lastObserved: null,
  } as const;
  const snapshot = fakeSnapshot({
    cities: [
      fakeCity(1, "Alpha", { cells: ["882b9bc001fffff"] }),
      fakeCity(2, "Zürich", { cells: ["882b9bc005fffff"] }),
    ],
    explorer: [explorerRow, { ...explorerRow, industry: "5610", avgPps: null }],
    cellCounts: [
      {
        cell: "882b9bc003fffff",
        observations90d: 1,
        records90d: 1,
        observations: 2,
        lastObserved: day(3),
        weeksLooked90d: 1,
        monthsLooked: 0,
      },
    ],
  });

  /** Rows as hyparquet reads them, in the forms that JSON has. */
  async function readParquet(bytes: Uint8Array): Promise<Record<string, unknown>[]> {
    const rows = await parquetReadObjects({ file: Uint8Array.from(bytes).buffer });
    return rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
    );
  }

  function plain(value: unknown): unknown {
    if (typeof value === "bigint") return Number(value);
    return value instanceof Date ? value.toISOString().slice(0, 10) : value;
  }

  function bytesOf(path: string): Uint8Array {
    const file = PARQUET_EXPORTS.find((each) => each.path === path);
    return file?.bytes(snapshot) ?? new Uint8Array();
  }

  /** Cells of a CSV, as its Parquet file has them: numbers as numbers, an empty cell as null. */
  function typed(csv: string, like: readonly Record<string, unknown>[]): unknown[] {
    const cells: Record<string, string>[] = parse(csv, { columns: true, record_delimiter: "\r\n" });
    return cells.map((row, at) =>
      Object.fromEntries(
        Object.entries(row).map(([name, cell]) => {
          if (cell === "") return [name, null];
          if (typeof like[at]?.[name] === "boolean") return [name, cell === "true"];
          return [name, typeof like[at]?.[name] === "number" ? Number(cell) : cell];
        }),
      ),
    );
  }

  test("the explorer says the same as Parquet and as CSV", async () => {
    const rows = await readParquet(bytesOf("explorer.parquet"));
    expect(rows).toEqual(explorerTable(snapshot));
    expect(rows).toEqual(typed(csvText(explorerTable(snapshot)), rows));
  });

  test("the coverage of each city, too, with every metric", async () => {
    const rows = await readParquet(bytesOf("city-coverage.parquet"));
    expect(rows).toEqual(typed(cityCoverageCsv(snapshot), rows));
    expect(rows.map(({ city }) => city)).toEqual(snapshot.cities().map(({ slug }) => slug));
    expect(rows[0]).toMatchObject(snapshot.cities()[0]?.coverage.metrics ?? {});
    expect(Object.keys(rows[0] ?? {})).toEqual(CityCoverageRow.keyof().options);
  });

  test("all cells are in one file", async () => {
    const rows = await readParquet(bytesOf("cells.parquet"));
    expect(rows).toEqual(cellTable(snapshot));
    expect(rows).toHaveLength(4);
    expect(rows[0]).toMatchObject({ city: "alpha", eligible: true, last_observed: null });
  });

  test("columns are typed: whole numbers, numbers, dates, text; only what may be unknown may be null", () => {
    const { schema, created_by } = parquetMetadata(bytesOf("explorer.parquet"));
    const column = (name: string) => schema.find((element) => element.name === name);
    expect(column("entities")).toMatchObject({ type: "INT64", repetition_type: "REQUIRED" });
    expect(column("avg_pps")).toMatchObject({ type: "DOUBLE", repetition_type: "OPTIONAL" });
    expect(column("last_observed")).toMatchObject({ type: "INT32", converted_type: "DATE" });
    expect(column("city")).toMatchObject({ type: "BYTE_ARRAY", converted_type: "UTF8" });
    expect(created_by).not.toMatch(/hyparquet/);
  });

  test("the same rows give the same bytes, and no rows a file without rows", async () => {
    for (const { path, bytes } of PARQUET_EXPORTS)
      expect(Buffer.from(bytes(snapshot)).equals(bytesOf(path)), path).toBe(true);
    expect(await readParquet(parquetBytes(ExplorerRow, []))).toEqual([]);
  });

  test("the data package tells of every file once, with its columns", () => {
    const { resources } = dataPackage({
      baseUrl: "https://x.test",
      asOf: 0,
      environment: "production",
      files: describedFiles(snapshot),
      cities: [],
    });
    const all = JSON.parse(JSON.stringify(resources));
    const names = all.map(({ name }: { name: string }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(all.find(({ name }: { name: string }) => name === "changes")).not.toHaveProperty("hash");
    for (const { path, schema, bytes } of all) {
      expect(path).toMatch(/^[^/.\\][^\\]*$/);
      if (!path.endsWith(".geojson")) expect(schema.fields.length, path).toBeGreaterThan(2);
      if (path !== "changes.csv") expect(bytes, path).toBeGreaterThan(0);
    }
  });
});

test("the STAC collection has what STAC 1.1.0 requires, over all cities and each, and no file of single records", () => {
  const Box = z.tuple([z.number(), z.number(), z.number(), z.number()]);
  const Collection = z.looseObject({
    type: z.literal("Collection"),
    stac_version: z.literal("1.1.0"),
    id: z.string().min(1),
    description: z.string().min(1),
    license: z.literal("CC-BY-4.0"),
    extent: z.object({
      spatial: z.object({ bbox: z.array(Box).min(2) }),
      temporal: z.object({
        interval: z.array(z.tuple([z.iso.datetime().nullable(), z.iso.datetime()])).length(1),
      }),
    }),
    links: z.array(z.looseObject({ rel: z.string(), href: z.url() })).min(1),
    assets: z.record(z.string(), z.looseObject({ href: z.url(), type: z.string() })),
  });
  const { extent, assets } = Collection.parse(stacCollection(fakeSnapshot()));
  const [whole, ...each] = extent.spatial.bbox;
  for (const [west, south, east, north] of each) {
    expect([west < east, south < north]).toEqual([true, true]);
    expect(whole?.[0]).toBeLessThanOrEqual(west);
    expect(whole?.[3]).toBeGreaterThanOrEqual(north);
  }
  expect(
    Object.values(assets)
      .map(({ href }) => href)
      .join(" "),
  ).not.toMatch(/changes|\/city\//);
});
