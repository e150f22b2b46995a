import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { latLngToCell } from "h3-js";
import { asyncBufferFromUrl, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { CodedColumn, type ColumnValues } from "../../kernel/coded-column.ts";
import { portOf } from "../../kernel/port.ts";
import { DAY_MS, isoTime } from "../../kernel/time.ts";
import { csvGzipWriter, parquetWriter } from "./table-writers.ts";
import { type Column, tableColumns, tableCsv } from "./tables.ts";

/** Read by programs that did not write them: zlib, csv-parse and hyparquet. */

const columns = tableColumns(
  z.object({
    id: z.int(),
    observed_at: z.iso.datetime(),
    name: z.string().nullable(),
    list: z.array(z.int()),
    h3_cell: z.string(),
  }),
);
const CELLS = [latLngToCell(43.5, -80.2, 8), latLngToCell(-17, 180, 8)]; // the second one goes across the 180th meridian
const START = Date.parse("2026-01-01");
const GROUPS = 12; // of 30 days
const rows = Array.from({ length: GROUPS * 30 * 4 }, (_, at) => ({
  id: at,
  observed_at: isoTime(START + Math.floor(at / 4) * DAY_MS),
  name: at % 3 === 0 ? null : "=1+1",
  list: [at, at + 1],
  h3_cell: CELLS[at % 2],
}));

/** Its distinct values once in every second group, and one for each row in the others. */
function column(
  group: readonly Readonly<Record<string, unknown>>[],
  name: string,
  number: number,
): ColumnValues {
  const of = group.map((row) => row[name]);
  if (number % 2 === 1) return { of };
  const coded = new CodedColumn<unknown>();
  for (const value of of) coded.add(value);
  return coded;
}

type Make = (append: (part: Uint8Array) => void) => ReturnType<typeof csvGzipWriter>;

function written(make: Make, groups: readonly (readonly Readonly<Record<string, unknown>>[])[]): Buffer {
  const parts: Buffer[] = [];
  const writer = make((part) => parts.push(Buffer.from(part)));
  for (const [number, group] of groups.filter(({ length }) => length > 0).entries()) {
    const names = Object.keys(group[0] ?? {});
    writer.add({
      rows: group.length,
      columns: new Map(names.map((name) => [name, column(group, name, number)])),
    });
  }
  writer.end();
  return Buffer.concat(parts);
}

const months = Array.from({ length: GROUPS }, (_, at) => rows.slice(at * 120, (at + 1) * 120));
const metadata = { service: "A service", license: "terms" };
const parquet = written((append) => parquetWriter(columns, { metadata, cells: "h3_cell" }, append), months);
const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };

function csvOf(own: readonly Column[], group: readonly Readonly<Record<string, unknown>>[]): string {
  return gunzipSync(written((append) => csvGzipWriter(own, append), [group])).toString();
}

test("any text is in CSV as the library writes it, formulas with their apostrophe", () => {
  const own = columns.filter(({ name }) => name === "name");
  const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("=1", "＝1", "\r", '"', ",", "\t-"));
  fc.assert(
    fc.property(fc.array(fc.record({ name: text.filter((each) => each !== "") })), (texts) => {
      const asRows = (csv: string) => parse(csv, { columns: true });
      expect(asRows(csvOf(own, texts))).toEqual(asRows(tableCsv(["name"], texts)));
    }),
    { numRuns: 50 },
  );
});

test("CSV is one member of gzip without a time, also of many lines", () => {
  const many = Array.from({ length: 20_001 }, (_, at) => ({ ...rows[0], id: at }));
  const bytes = written((append) => csvGzipWriter(columns, append), [many]);
  const lines = gunzipSync(bytes).toString().split("\r\n");
  expect([lines.length, lines.at(-1), lines.at(-2)?.split(",")[0]]).toEqual([20_003, "", "20000"]);
  expect([...bytes.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
});

/** The schema of GeoParquet 1.1.0, as far as a file can have what it asks for. */
const Geo = z.looseObject({
  version: z.literal("1.1.0"),
  primary_column: z.string().min(1),
  columns: z
    .record(
      z.string().min(1),
      z.looseObject({
        encoding: z
          .string()
          .regex(/^(WKB|point|linestring|polygon|multipoint|multilinestring|multipolygon)$/),
        geometry_types: z
          .array(z.string().regex(/^(GeometryCollection|(Multi)?(Point|LineString|Polygon))( Z)?$/))
          .refine((types) => new Set(types).size === types.length),
        crs: z.never().optional(), // longitude and latitude (OGC:CRS84)
        edges: z.enum(["planar", "spherical"]).optional(),
        orientation: z.literal("counterclockwise").optional(),
        bbox: z.array(z.number()).optional(),
        epoch: z.number().optional(),
      }),
    )
    .refine((known) => Object.keys(known).length > 0),
});

describe("Parquet, from a server of files", () => {
  let server: Server;
  let url: string;
  const requests: string[] = [];

  beforeAll(async () => {
    server = createServer(({ method, headers: { range } }, response) => {
      if (method === "HEAD") return response.setHeader("Content-Length", parquet.length).end();
      requests.push(range ?? "");
      const [, from = "0", to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
      const body = parquet.subarray(Number(from), to === undefined ? undefined : Number(to) + 1);
      return response.writeHead(to === undefined ? 200 : 206, { "Content-Length": body.length }).end(body);
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    url = `http://127.0.0.1:${portOf(server)}/observations.parquet`;
  });
  afterAll(() => server.close());

  test.each([0, 15, 29, 100, 317])(
    "30 days from day %i on are at most three requests of ranges",
    async (day) => {
      requests.length = 0;
      const file = await asyncBufferFromUrl({ url });
      const known = await parquetMetadataAsync(file, { initialFetchSize: 64 * 1024 });
      const [from, end] = [START + day * DAY_MS, START + (day + 30) * DAY_MS];
      const found = await parquetReadObjects({
        file,
        metadata: known,
        compressors,
        filter: { observed_at: { $gte: new Date(from), $lt: new Date(end) } },
      });
      expect(found).toHaveLength(30 * 4);
      expect(requests.length).toBeLessThanOrEqual(3);
      expect(requests.every((range) => range.startsWith("bytes="))).toBe(true);
    },
  );

  test("has verbatim names, times, lists, and the polygons of its cells", async () => {
    const file = await asyncBufferFromUrl({ url });
    const [first, second] = await parquetReadObjects({ file, compressors, rowEnd: 2 });
    expect(first).toMatchObject({ id: 0n, name: null, list: [0, 1], geometry: { type: "Polygon" } });
    expect(second).toMatchObject({
      name: "=1+1",
      observed_at: new Date(START),
      geometry: { type: "MultiPolygon" },
    });
  });

  test("says its terms and, by the schema of GeoParquet, its geometry", async () => {
    const known = await parquetMetadataAsync(await asyncBufferFromUrl({ url }));
    const said = new Map((known.key_value_metadata ?? []).map(({ key, value }) => [key, value ?? ""]));
    expect(said.get("license")).toBe("terms");
    const geo = Geo.parse(JSON.parse(said.get("geo") ?? ""));
    expect(Object.keys(geo.columns)).toContain(geo.primary_column);
  });
});
