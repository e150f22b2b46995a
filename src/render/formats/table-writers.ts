/** Writers of tables that memory should not hold whole: rows in, bytes out. */

import { constants, crc32, deflateRawSync, zstdCompressSync } from "node:zlib";
import {
  ByteWriter,
  type ColumnSource,
  geojsonToWkb,
  ParquetWriter,
  type SchemaElement,
  type Writer,
} from "hyparquet-writer";
import { cellGeometry } from "./city-geojson.ts";
import { type Column, schemaElement, storedValue } from "./tables.ts";

type TableRow = Readonly<Record<string, unknown>>;

/** Takes a table row by row, and gives its bytes to `append` as they are made. */
interface TableWriter {
  add(row: TableRow): void;
  /** Ends a group of rows, which readers can fetch by itself. */
  endGroup(): void;
  end(): void;
}

type Append = (part: Uint8Array) => void;

const LINES_AT_ONCE = 10_000;
const GZIP = { level: 3, finishFlush: constants.Z_SYNC_FLUSH }; // a higher level takes twice the time for 3 % of the bytes
/** No time, and no system (RFC 1952): the same rows are the same file. */
const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
const LAST_BLOCK = Uint8Array.of(3, 0);

/** As `tableCsv`, with the lists and objects of REST as JSON, and packed: one member, which all readers take. */
export function csvGzipWriter(columns: readonly Column[], append: Append): TableWriter {
  const names = columns.map(({ name }) => name);
  const cells = columns.map((column) => ({
    name: column.name,
    text: hasFreeText(column) ? csvCell : plainCell,
  }));
  let [crc, length] = [0, 0];
  const take = (lines: readonly string[]) => {
    const plain = Buffer.from(`${lines.join("\r\n")}\r\n`);
    crc = crc32(plain, crc);
    length += plain.length;
    append(deflateRawSync(plain, GZIP));
  };
  append(GZIP_HEADER);
  take([names.join(",")]);
  let lines: string[] = [];
  const flush = () => {
    if (lines.length > 0) take(lines);
    lines = [];
  };
  return {
    add(row) {
      let line = "";
      for (const { name, text } of cells) line += `,${text(row[name])}`;
      if (lines.push(line.slice(1)) >= LINES_AT_ONCE) flush();
    },
    endGroup: () => undefined,
    end() {
      flush();
      const trailer = Buffer.alloc(8);
      trailer.writeUInt32LE(crc);
      trailer.writeUInt32LE(length % 2 ** 32, 4);
      append(Buffer.concat([LAST_BLOCK, trailer]));
    },
  };
}

const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/; // as csv-stringify's
const QUOTED = /[",\r\n]/;
const SPECIAL = new RegExp(`${FORMULA.source}|${QUOTED.source}`);

/** Whether a cell may hold what CSV or a spreadsheet would take for something else. */
function hasFreeText({ type, constraints }: Column): boolean {
  const isText = type === "string" && constraints["enum"] === undefined;
  return isText || type === "object" || type === "array";
}

function plainCell(value: unknown): string {
  return value === null || value === undefined ? "" : String(value);
}

/** A sixth of the time of csv-stringify, which a million rows need. */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const plain = typeof value === "string" ? value : JSON.stringify(value);
  if (!SPECIAL.test(plain)) return plain;
  const text = FORMULA.test(plain) ? `'${plain}` : plain;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

interface ParquetFacts {
  readonly metadata: Readonly<Record<string, unknown>>; // `service` made the file
  /** The column whose H3 cells stand as polygons in `geometry`. */
  readonly cells?: string | undefined;
}

const GEOMETRY = "geometry";

/** What GeoParquet 1.1.0 wants to know of the polygons of cells. */
const GEO = {
  version: "1.1.0",
  primary_column: GEOMETRY,
  columns: {
    [GEOMETRY]: {
      encoding: "WKB",
      geometry_types: ["Polygon", "MultiPolygon"],
      orientation: "counterclockwise",
    },
  },
};

/** Each group of rows is one of the file's, and leaves memory at once. */
export function parquetWriter(
  columns: readonly Column[],
  { metadata, cells }: ParquetFacts,
  append: Append,
): TableWriter {
  const writer: Writer & { index: number } = new ByteWriter();
  writer.flush = () => {
    append(writer.getBytes());
    writer.index = 0;
  };
  const geometry: SchemaElement = { name: GEOMETRY, type: "BYTE_ARRAY", repetition_type: "REQUIRED" };
  const elements = [...columns.map(schemaElement), ...(cells === undefined ? [] : [geometry])];
  const said = cells === undefined ? metadata : { ...metadata, geo: GEO };
  const file = new ParquetWriter({
    writer,
    codec: "ZSTD",
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes, ZSTD) },
    createdBy: String(metadata["service"]),
    schema: [{ name: "root", num_children: elements.length }, ...elements],
    kvMetadata: Object.entries(said).map(([key, value]) => ({ key, value: metadataText(value) })),
  });
  const packers = () => [...columns.map(packer), ...(cells === undefined ? [] : [polygonPacker(cells)])];
  let packed = packers();
  return {
    add(row) {
      for (const { name, of, data } of packed) data.push(of(row[name]));
    },
    endGroup() {
      const columnData = packed.map(({ column, data }) => ({ ...column, data }));
      void file.write({ columnData, rowGroupSize: columnData[0]?.data.length ?? 0 });
      packed = packers();
    },
    end() {
      void file.finish();
      void writer.flush?.();
    },
  };
}

const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

function metadataText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Statistics are a quarter of the time, and readers skip groups by days alone. */
const SORTED_BY: ReadonlySet<string> = new Set(["observed_at", "observed_on"]);

interface Packer {
  readonly name: string; // of the row
  readonly of: (value: unknown) => unknown; // as it is stored
  readonly data: unknown[];
  readonly column: Pick<ColumnSource, "name" | "statistics">;
}

/** Each distinct value is made once: a column of a million rows has few. */
function packer({ name, type }: Column): Packer {
  const column = { name, statistics: SORTED_BY.has(name) };
  const isPlain = type === "string" || type === "number" || type === "boolean";
  if (type === "integer") return { name, data: [], column, of: (value) => storedValue(type, value) };
  const key = type === "array" || type === "object" ? JSON.stringify : (value: unknown) => value;
  // A time as the number that is stored: the library would make one of each `Date` again.
  const isTime = type === "datetime";
  const of = once(key, (value) => (isTime ? BigInt(Date.parse(String(value))) : storedValue(type, value)));
  return {
    name,
    data: [],
    column,
    of: isPlain ? (value) => value : (value) => (value === null || value === undefined ? null : of(value)),
  };
}

function polygonPacker(cells: string): Packer {
  const polygon = (cell: unknown) => geojsonToWkb(cellGeometry(String(cell)));
  const of = once((cell) => cell, polygon);
  return { name: cells, data: [], column: { name: GEOMETRY, statistics: false }, of };
}

function once(key: (value: unknown) => unknown, make: (value: unknown) => unknown) {
  const made = new Map<unknown, unknown>();
  return (value: unknown) => {
    const own = key(value);
    const known = made.get(own);
    if (known !== undefined) return known;
    const fresh = make(value);
    made.set(own, fresh);
    return fresh;
  };
}
