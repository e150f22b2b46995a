import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { expect, inject, test } from "vitest";
import type { Observation } from "../../src/contract/records/observation.ts";
import { CITY_TABLE_FILES, CityTables, cityTablesFolder } from "../../src/contract/service/city-tables.ts";
import { sha256Hex } from "../../src/kernel/hash.ts";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { entity } from "../../src/resources/records/entity.ts";
import { observations } from "../../src/resources/records/observations.ts";
import { contextAt } from "../../src/resources/release-store.ts";

/** The tables of a city, read by programs that did not write them, against what the API answers. */

const { site, snapshot: path } = releasePaths(homePaths(inject("demoHome")).current);
const CITY = "guelph";
const folder = join(site, cityTablesFolder(CITY));
const index = CityTables.parse(JSON.parse(readFileSync(join(folder, "index.json"), "utf8")));
const read = (name: string) => readFileSync(join(folder, name));
const arrayBuffer = (bytes: Buffer) =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;

async function parquetRows(table: string): Promise<Record<string, unknown>[]> {
  const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };
  return parquetReadObjects({ file: arrayBuffer(read(`${table}.parquet`)), compressors });
}

function csvRows(table: string): Record<string, string>[] {
  return parse(gunzipSync(read(`${table}.csv.gz`)), { columns: true });
}

/** A value of the API as a reader of Parquet gets it. */
function asStored(value: unknown): unknown {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^\d{4}-\d\d-\d\d(T.*Z)?$/.test(value) ? new Date(value) : value;
}

const asRead = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);

test("the index beside them has rows, bytes and hash of each file, and both formats the same rows", async () => {
  expect(index.files.map((file) => file.path)).toEqual(CITY_TABLE_FILES);
  for (const { path: name, bytes, sha256, rows, table, format } of index.files) {
    const body = read(name);
    expect([body.length, sha256Hex(body)]).toEqual([bytes, sha256]);
    const found = format === "csv" ? csvRows(table) : await parquetRows(table);
    expect(found.length, name).toBe(rows);
  }
});

test("each record is there as the API answers it", async () => {
  using context = contextOf();
  for (const row of (await parquetRows("records")).slice(0, 40)) {
    const answer = entity.read(context.read, { public_id: String(row["public_id"]) }, {});
    for (const [key, value] of Object.entries({ ...answer.entity, ...answer.stats }))
      expect(asRead(row[key]) ?? null, key).toEqual(asStored(value));
  }
});

test("each observation is there as the API answers it, in both formats, and no other", async () => {
  using context = contextOf();
  const [records, rows] = [await parquetRows("records"), await parquetRows("observations")];
  const stored = Map.groupBy(rows, (row) => row["record_public_id"]);
  const texts = new Map(csvRows("observations").map((row) => [row["id"], row]));
  for (const { public_id } of records.slice(0, 20)) {
    const own = new Map(stored.get(public_id)?.map((row) => [asRead(row["id"]), row]));
    const answer = observations.read(context.read, { public_id: String(public_id) }, { limit: "200" });
    expect(own.size).toBe(answer.total_count);
    for (const observation of answer.observations)
      compare(observation, own.get(observation.id) ?? {}, texts.get(String(observation.id)) ?? {});
  }
});

function compare(answer: Observation, row: Record<string, unknown>, text: Record<string, string>): void {
  const shared = Object.keys(row).filter((name) => name in answer);
  expect(shared.length).toBeGreaterThan(20);
  for (const key of shared) {
    expect(asRead(row[key]) ?? null, key).toEqual(asStored(answer[key]));
    const value = answer[key] ?? "";
    const plain = typeof value === "object" ? JSON.stringify(value) : String(value);
    expect(text[key], key).toBe(/^[-=+@]/.test(plain) ? `'${plain}` : plain);
  }
}

test("the files say their terms, and observations go from the oldest day to the newest", async () => {
  const metadata = parquetMetadata(arrayBuffer(read("observations.parquet")));
  const said = Object.fromEntries((metadata.key_value_metadata ?? []).map(({ key, value }) => [key, value]));
  expect(said).toMatchObject({ city: CITY, is_synthetic: "true", terms_url: index.terms_url });
  const days = (await parquetRows("observations")).map((row) => Number(row["observed_at"]));
  expect(days).toEqual([...days].sort((a, b) => a - b)); // the groups of a span lie together
});

function contextOf() {
  const read = contextAt(path);
  return { read, [Symbol.dispose]: () => read.close() };
}
