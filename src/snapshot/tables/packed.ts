/**
 * Rows that are written and read together, as one JSON text, column by column: a value that all rows share stands once, and texts
 * stand in a list, by their places. Thousands of rows cost as little as a few values in SQLite.
 */
import type { Columns, RowOf, SqlValue } from "../../kernel/table.ts";

type Value = string | number | null;

/** The values of a column in the order of the rows; `all`: the one that every row has; `of`: the distinct texts, and `at` their places. */
type PackedColumn = readonly Value[] | { readonly all: Value } | PackedTexts;

interface PackedTexts {
  readonly of: readonly Value[];
  readonly at: readonly number[];
}

interface Packer<R> {
  pack(rows: readonly R[]): string;
  /** The rows of a text that `pack` made of as many. */
  unpack(text: string, count: number): R[];
}

/** Packs rows of these columns, of which none may be a blob. */
export function packer<C extends Columns>(columns: C): Packer<RowOf<C>> {
  const entries = Object.entries(columns).map(([property, { encode, decode = asStored }]) => ({
    property,
    encode,
    decode,
  }));
  return {
    pack(rows: readonly Readonly<Record<string, unknown>>[]) {
      const packed = entries.map(({ property, encode }) => {
        const values = rows.map((row) => plain(property, encode(row[property])));
        return [property, packedColumn(values)] as const;
      });
      return JSON.stringify(Object.fromEntries(packed));
    },
    unpack(text, count) {
      const packed: Readonly<Record<string, PackedColumn>> = JSON.parse(text);
      const rows = Array.from({ length: count }, newRow<RowOf<C>>);
      for (const { property, decode } of entries) {
        const valueAt = reader(packed[property] ?? []);
        for (const [at, row] of rows.entries()) Reflect.set(row, property, decode(valueAt(at)));
      }
      return rows;
    },
  };
}

function packedColumn(values: readonly Value[]): PackedColumn {
  const [first = null] = values;
  if (values.length > 0 && values.every((value) => value === first)) return { all: first };
  return values.some((value) => typeof value === "string") ? packedTexts(values) : values;
}

function packedTexts(values: readonly Value[]): PackedTexts {
  const places = new Map<Value, number>();
  const at = values.map((value) => {
    const place = places.get(value) ?? places.size;
    places.set(value, place);
    return place;
  });
  return { of: [...places.keys()], at };
}

/** Returns the value of a row; null beyond the end. */
function reader(packed: PackedColumn): (at: number) => Value {
  if ("all" in packed) return () => packed.all;
  if ("of" in packed) return (at) => packed.of[packed.at[at] ?? -1] ?? null;
  return (at) => packed[at] ?? null;
}

function plain(property: string, value: SqlValue): Value {
  if (value === undefined || value instanceof Uint8Array)
    throw new TypeError(`${property} of a row is missing or a blob: it cannot be packed`);
  return value;
}

function asStored(value: Value): unknown {
  return value;
}

/** Its properties are set one by one, in the order of the columns. */
function newRow<R>(): R & object {
  return Object.create(Object.prototype);
}
