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
import type { ColumnGroup, ColumnValues } from "../../kernel/coded-column.ts";
import { cellGeometry } from "./city-geojson.ts";
import { type Column, schemaElement, storedValue } from "./tables.ts";

/** Takes a table group by group, which readers can fetch by themselves, and gives its bytes to `append` as they are made. */
interface TableWriter {
  add(group: ColumnGroup): void;
  end(): void;
}

type Append = (part: Uint8Array) => void;

const LINES_AT_ONCE = 10_000;
const GZIP = { level: 1, finishFlush: constants.Z_SYNC_FLUSH }; // a level like 6 takes twice the time for 6 % of the bytes
/** No time, and no system (RFC 1952): the same rows are the same file. */
const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
const LAST_BLOCK = Uint8Array.of(3, 0);

/** As `tableCsv`, with the lists and objects of REST as JSON, and packed: one member, which all readers take. */
export function csvGzipWriter(columns: readonly Column[], append: Append): TableWriter {
  const cells = columns.map((column) => ({
    name: column.name,
    texts: ofEach(hasFreeText(column) ? csvCell : plainCell),
  }));
  let [crc, length] = [0, 0];
  const take = (lines: readonly string[]) => {
    const plain = Buffer.from(`${lines.join("\r\n")}\r\n`);
    crc = crc32(plain, crc);
    length += plain.length;
    append(deflateRawSync(plain, GZIP));
  };
  append(GZIP_HEADER);
  take([columns.map(({ name }) => name).join(",")]);
  return {
    add(group) {
      const own = cells.map(({ name, texts }) => {
        const { of, at } = columnOf(group, name);
        return { texts: texts(of), at };
      });
      for (let from = 0; from < group.rows; from += LINES_AT_ONCE)
        take(linesOf(own, from, Math.min(group.rows, from + LINES_AT_ONCE)));
    },
    end() {
      const trailer = Buffer.alloc(8);
      trailer.writeUInt32LE(crc);
      trailer.writeUInt32LE(length % 2 ** 32, 4);
      append(Buffer.concat([LAST_BLOCK, trailer]));
    },
  };
}

interface Cells {
  readonly texts: readonly string[];
  readonly at: readonly number[] | undefined;
}

function linesOf(columns: readonly Cells[], from: number, end: number): string[] {
  const lines: string[] = [];
  for (let row = from; row < end; row++) {
    let line = "";
    for (const { texts, at } of columns) line += `,${texts[at?.[row] ?? row]}`;
    lines.push(line.slice(1));
  }
  return lines;
}

function columnOf({ columns }: ColumnGroup, name: string): ColumnValues {
  const column = columns.get(name);
  if (column === undefined) throw new RangeError(`a group of rows has no column ${name}`);
  return column;
}

/** Makes something of each value of a list once, however many groups of rows have their values there. */
function ofEach<V, Made>(make: (value: V) => Made): (values: readonly V[]) => readonly Made[] {
  const known = new WeakMap<readonly V[], readonly Made[]>();
  return (values) => {
    const made = known.get(values) ?? values.map(make);
    known.set(values, made);
    return made;
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
  const packers = [...columns.map(packer), ...(cells === undefined ? [] : [polygonPacker(cells)])];
  return {
    add(group) {
      const columnData = packers.map(({ name, of, column }) => {
        const { of: values, at } = columnOf(group, name);
        const stored = of(values);
        return { ...column, data: at === undefined ? [...stored] : at.map((place) => stored[place]) };
      });
      void file.write({ columnData, rowGroupSize: group.rows, pageSize: 0 });
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
  readonly name: string; // of the column in a group
  readonly of: (values: readonly unknown[]) => readonly unknown[]; // as they are stored
  readonly column: Pick<ColumnSource, "name" | "statistics">;
}

function packer({ name, type }: Column): Packer {
  const column = { name, statistics: SORTED_BY.has(name) };
  // A time as the number that is stored: the library would make one of each `Date` again.
  const isTime = type === "datetime";
  const of = (value: unknown) => {
    if (value === null || value === undefined) return null;
    return isTime ? BigInt(Date.parse(String(value))) : storedValue(type, value);
  };
  return { name, of: ofEach(of), column };
}

function polygonPacker(cells: string): Packer {
  const polygon = (cell: unknown) => geojsonToWkb(cellGeometry(String(cell)));
  return { name: cells, of: ofEach(polygon), column: { name: GEOMETRY, statistics: false } };
}
