/** That the attack on exports finds a private value in each format, wherever it was put. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, describe, expect, test } from "vitest";
import { exportedLists, exportLines } from "./exports.ts";
import { makeWorld } from "./world.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const world = makeWorld(3, Date.UTC(2026, 4, 4), 1, 0.2);
const visit = world.visits.find(({ instant }) => Math.floor(instant / 60_000) % 20 > 0);
if (visit === undefined) throw new Error("the world is empty");
const { line, instant, scout } = visit;

type Files = Readonly<Record<string, string | Uint8Array>>;

const MAPS = "../api/v1/city";

/** A release with these exports beside harmless ones of each format. */
function release(files: Files = {}): { folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "exports-"));
  folders.push(folder);
  const harmless: Files = {
    "LICENSE.txt": "The terms of the service apply.\n",
    SHA256SUMS: `${"0".repeat(64)}  explorer.csv\n`,
    "explorer.csv": "city,observations\r\nalpha,3\r\n",
    [`${MAPS}/alpha/cells/a.json`]: JSON.stringify({ cells: [{ last_observed: "2026-05-04" }] }),
    "cells/alpha.geojson": cells(line.lat + 0.01, line.lng),
    "city/alpha/observations.csv.gz": gzipSync("id,observed_at\r\n7,2026-05-04T05:00:00Z\r\n2,\r\n"),
    "city/alpha/observations.parquet": table([{ id: 9, observed_at: "2026-05-04T05:00:00Z" }, { id: 4 }]),
  };
  for (const [path, content] of Object.entries({ ...harmless, ...files })) {
    mkdirSync(dirname(join(folder, "exports", path)), { recursive: true });
    writeFileSync(join(folder, "exports", path), content);
  }
  return { folder };
}

function table(
  rows: readonly { id: number; observed_at?: unknown }[],
  kvMetadata?: { key: string; value: string }[],
) {
  const times = rows.map(({ observed_at }) => observed_at ?? null);
  const type = times.some((time) => time instanceof Date) ? "TIMESTAMP" : "STRING";
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: "id", data: rows.map(({ id }) => BigInt(id)), type: "INT64" },
        { name: "observed_at", data: times, type, nullable: true },
      ],
      ...(kvMetadata && { kvMetadata }),
    }),
  );
}

function cells(lat: number, lng: number): string {
  const geometry = {
    type: "Polygon",
    coordinates: [
      [
        [lng, lat],
        [lng + 1, lat + 1],
        [lng, lat],
      ],
    ],
  };
  return JSON.stringify({
    type: "FeatureCollection",
    features: [{ type: "Feature", geometry, properties: {} }],
  });
}

async function missed(files?: Files): Promise<string[]> {
  const lines = await exportLines([release(files)], world, new Set(["https://left.shop-attack.com"]));
  expect(lines.every(({ tried }) => tried > 5)).toBe(true);
  return lines.filter(({ isMet }) => isMet === false).map(({ method }) => method);
}

test("nothing is found where nothing is private", async () => {
  expect(await missed()).toEqual([]);
});

test("the beginning of a day is public, also where somebody saw something in that minute", async () => {
  const seen = { ...visit, instant: Date.parse("2026-05-04T23:00:17Z") };
  const files = { "city/a/assets.csv.gz": gzipSync("id,last_observed\r\n1,2026-05-04T23:00:00Z\r\n") };
  const lines = await exportLines([release(files)], { visits: [seen] }, new Set());
  expect(lines.filter(({ found }) => found > 0)).toEqual([]);
});

const IDS = "ids of observers, lines, devices and vehicles";
const MINUTE = "minute of an observation";
const PLACE = "place of an observation";
const LEFT = "websites that opted out";
const time = new Date(instant).toISOString();

describe("one private value is found", () => {
  test.each<[what: string, method: string, file: string, content: () => string | Uint8Array]>([
    ["an observer in a CSV", IDS, "changes.csv", () => `record,who\r\na,${scout.id}\r\n`],
    [
      "a line's id in JSON",
      IDS,
      "changes.json",
      () => JSON.stringify({ a: [{ b: { c: line.source_ref } }] }),
    ],
    ["a device in packed CSV", IDS, "city/a/assets.csv.gz", () => gzipSync(`id,model\n1,${scout.model}\n`)],
    [
      "an observer in a Parquet file's end",
      IDS,
      "a.parquet",
      () => table([{ id: 1 }], [{ key: "by", value: scout.id }]),
    ],
    [
      "an id in a data package",
      IDS,
      "datapackage.json",
      () => JSON.stringify({ resources: [{ name: scout.id }] }),
    ],
    [
      "a time in a part of a map",
      MINUTE,
      `${MAPS}/a/cells/b.json`,
      () => JSON.stringify({ cells: [{ first_records: [{ last_observed: time }] }] }),
    ],
    ["an observer in a list of hashes", IDS, "SHA256SUMS", () => `00  ${scout.id}.csv\n`],
    [
      "a time in Parquet",
      MINUTE,
      "city/a/observations.parquet",
      () => table([{ id: 1, observed_at: new Date(instant) }]),
    ],
    ["a time as text in Parquet", MINUTE, "b.parquet", () => table([{ id: 1, observed_at: time }])],
    ["seconds since 1970", MINUTE, "explorer.csv", () => `city,at\r\na,${Math.floor(instant / 1000)}\r\n`],
    ["a time in JSON in a cell", MINUTE, "c.csv", () => `city,row\r\na,"{""seen"":""${time}""}"\r\n`],
    ["a place in GeoJSON", PLACE, "cells/a.geojson", () => cells(line.lat, line.lng)],
    ["a place in CSV", PLACE, "d.csv", () => `lat,lng\r\n${line.lat},${line.lng}\r\n`],
    ["a place in bytes", PLACE, "e.parquet", () => points(line.lat, line.lng)],
    ["who left", LEFT, "f.csv", () => "site\r\nhttps://LEFT.shop-attack.com/about\r\n"],
  ])("%s", async (_, method, file, content) => {
    expect(await missed({ [file]: content() })).toEqual([method]);
  });
});

/** A point as WKB, without the metadata that says so. */
function points(lat: number, lng: number): Uint8Array {
  const point = Buffer.alloc(21);
  point.writeUInt8(1);
  point.writeUInt32LE(1, 1);
  point.writeDoubleLE(lng, 5);
  point.writeDoubleLE(lat, 13);
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [{ name: "geometry", data: [new Uint8Array(point)], type: "BYTE_ARRAY" }],
    }),
  );
}

test("the order of rows in a table is a list like any other", async () => {
  expect(await exportedLists(release().folder)).toEqual([
    [7, 2],
    [9, 4],
  ]);
});

test("a file in an unknown format is an error, not passed over", async () => {
  await expect(missed({ "records.xlsx": "PK" })).rejects.toThrow("no reader for the export records.xlsx");
});
