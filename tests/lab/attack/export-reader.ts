/** What a reader has who downloads everything: each file below `/exports/`, by its format, whole. */

import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { filesBelow } from "../../../src/kernel/files/durable-file.ts";

/** A value, and the column or member that has it. */
export type NamedValue = readonly [name: string, value: string | number];

export interface ExportRow {
  readonly path: string; // below the folder
  readonly values: readonly NamedValue[];
}

type Reader = (bytes: Uint8Array) => Promise<readonly unknown[]>;

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8");
const csv: Reader = async (bytes) => parse(text(bytes), { columns: true, bom: true });
const json: Reader = async (bytes) => rowsOf(JSON.parse(text(bytes)));
const lines: Reader = async (bytes) => text(bytes).split("\n");

const READERS: readonly (readonly [name: RegExp, reader: Reader])[] = [
  [/\.csv$/, csv],
  [/\.csv\.gz$/, (bytes) => csv(gunzipSync(bytes))],
  [/\.(geo)?json$/, json],
  [/\.parquet$/, parquet],
  [/(^|\/)SHA256SUMS$|\.(txt|md|sql)$/, lines],
];

/** Every row of every file. Throws for a file that it cannot read: nobody would have looked into it. */
export async function* exportRows(folder: string): AsyncGenerator<ExportRow> {
  for (const file of filesBelow(folder)) {
    const path = relative(folder, file);
    const reader = READERS.find(([name]) => name.test(path))?.[1];
    if (reader === undefined) throw new Error(`no reader for the export ${path}`);
    for (const row of await reader(readFileSync(file))) yield { path, values: leaves("", row) };
  }
}

/** Rows, and what stands about them in the file's end. */
async function parquet(bytes: Uint8Array): Promise<readonly unknown[]> {
  const file = Uint8Array.from(bytes).buffer;
  const { created_by, key_value_metadata = [] } = parquetMetadata(file);
  const unpack = (inflate: (packed: Uint8Array) => Uint8Array) => (packed: Uint8Array) =>
    Uint8Array.from(inflate(packed));
  const compressors = {
    BROTLI: unpack(brotliDecompressSync),
    GZIP: unpack(gunzipSync),
    ZSTD: unpack(zstdDecompressSync),
  };
  const rows = await parquetReadObjects({ file, compressors, utf8: false });
  return [...rows, { created_by }, ...key_value_metadata];
}

/** Objects of a list are rows of their own; what stands beside the list is one, too. */
function rowsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.some(isObject) ? value.flatMap(rowsOf) : [value];
  if (!isObject(value)) return [value];
  const isList = ([, member]: [string, unknown]) => Array.isArray(member) && member.some(isObject);
  const members = Object.entries(value);
  const lists = members.filter(isList).flatMap(([, list]) => rowsOf(list));
  return [Object.fromEntries(members.filter((member) => !isList(member))), ...lists];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function leaves(name: string, value: unknown): NamedValue[] {
  if (value instanceof Uint8Array) return [[name, text(value)], ...numbersIn(name, value)];
  if (value instanceof Date) return [[name, value.toISOString()]];
  if (Array.isArray(value)) return value.flatMap((each) => leaves(name, each));
  if (isObject(value)) return Object.entries(value).flatMap(([key, each]) => leaves(key, each));
  if (typeof value === "number" || typeof value === "bigint") return [[name, Number(value)]];
  return typeof value === "string" ? textLeaves(name, value) : [];
}

/** A cell may hold JSON, or a number as text. */
function textLeaves(name: string, value: string): NamedValue[] {
  if (/^-?\d+(\.\d+)?$/.test(value)) return [[name, Number(value)]];
  if (!/^[[{]/.test(value)) return [[name, value]];
  try {
    return leaves(name, JSON.parse(value));
  } catch {
    return [[name, value]];
  }
}

/** Whatever numbers the bytes of a geometry may be (WKB), at each place. */
function numbersIn(name: string, bytes: Uint8Array): NamedValue[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const places = Array.from({ length: Math.max(0, bytes.byteLength - 7) }, (_, at) => at);
  return places.flatMap((at): NamedValue[] => [
    [name, view.getFloat64(at, true)],
    [name, view.getFloat64(at)],
  ]);
}
