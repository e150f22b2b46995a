import type { CodedColumn } from "../../kernel/coded-column.ts";
import type { Columns, RowOf, SqlValue } from "../../kernel/table.ts";
import { OBSERVATIONS_A_PAGE, observationColumns, type observationPages } from "./records.ts";

/**
 * Rows that are written and read together, as one JSON text, column by column: a value that all rows share stands once, and texts
 * stand in a list, by their places. Thousands of rows cost as little as a few values in SQLite.
 */

export type Value = string | number | null;

/** The values of a column in the order of the rows; `all`: the one that every row has; `of`: the distinct texts, and `at` their places. */
export type PackedColumn = readonly Value[] | { readonly all: Value } | PackedTexts;

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
        const valueAt = reader(packed[property] ?? [], decode);
        for (let at = 0; at < rows.length; at++) setOn(rows[at] ?? {}, property, valueAt(at));
      }
      return rows;
    },
  };
}

/** Adds the values that some rows of a packed text have in a column, as they are stored. */
export function addPacked(column: CodedColumn<Value>, packed: PackedColumn, rows: readonly number[]): void {
  if ("all" in packed) {
    const place = column.placeOf(packed.all);
    for (const _ of rows) column.at.push(place);
  } else if ("of" in packed) {
    const places = packed.of.map((value) => column.placeOf(value));
    for (const row of rows) column.at.push(places[packed.at[row] ?? 0] ?? 0);
  } else for (const row of rows) column.add(packed[row] ?? null);
}

/** The columns of a text that a packer made, by their properties. */
export function packedColumns(text: string): (property: string) => PackedColumn {
  const packed: Readonly<Record<string, PackedColumn>> = JSON.parse(text);
  return (property) => packed[property] ?? [];
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

/** Returns the value of a row; null beyond the end. What stands once is decoded once. */
function reader(packed: PackedColumn, decode: (value: Value) => unknown): (at: number) => unknown {
  if ("all" in packed) {
    const all = decode(packed.all);
    return () => all;
  }
  if ("of" in packed) {
    const of = packed.of.map(decode);
    return (at) => of[packed.at[at] ?? -1] ?? null;
  }
  return (at) => decode(packed[at] ?? null);
}

function plain(property: string, value: SqlValue): Value {
  if (value === undefined || value instanceof Uint8Array)
    throw new TypeError(`${property} of a row is missing or a blob: it cannot be packed`);
  return value;
}

function asStored(value: Value): unknown {
  return value;
}

/** A sixth of the time of `Reflect.set`. */
export function setOn(row: Record<string, unknown>, property: string, value: unknown): void {
  row[property] = value;
}

/** Its properties are set one by one, in the order of the columns. */
export function newRow<R>(): R & Record<string, unknown> {
  return Object.create(Object.prototype);
}

/**
 * Keeps the result of the last read for the next one with the same key: the parts of an answer, and the documents about one
 * record, ask for the same rows in turn. For tables that never change; callers must not change what they get.
 */
export function lastRead<K, V>(read: (key: K) => V): (key: K) => V {
  let last: { readonly key: K; readonly value: V } | undefined;
  return (key) => {
    if (last === undefined || last.key !== key) last = { key, value: read(key) };
    return last.value;
  };
}

/** Pages of observations: see `observationPages`. */

type Page = RowOf<typeof observationPages.columns>;
type Facts = RowOf<typeof observationColumns>;

/** What a release shows of an observation. */
export interface StoredObservation extends Facts {
  readonly id: number; // ledger row
  readonly ledgerHash: string; // hex
}

/** The same with the hash as bytes, as the fold has it. */
export interface WrittenObservation extends Facts {
  readonly id: number;
  readonly ledgerHash: Uint8Array;
}

const HASH_DIGITS = 64;
const { pack, unpack } = packer(observationColumns);

/** The pages of a record's observations; the first of them has the number `from`. */
export function observationPagesOf(observations: readonly WrittenObservation[], from: number): Page[] {
  const starts = Array.from(
    { length: Math.ceil(observations.length / OBSERVATIONS_A_PAGE) },
    (_, page) => page * OBSERVATIONS_A_PAGE,
  );
  return starts.map((start) => {
    const own = observations.slice(start, start + OBSERVATIONS_A_PAGE);
    return {
      seq: from + start,
      rows: own.map(({ id }) => id),
      facts: pack(own),
      ledgerHashes: Buffer.concat(own.map(({ ledgerHash }) => ledgerHash)),
    };
  });
}

/** The observations of a page in their order. */
export function observationsOn({ rows, facts, ledgerHashes }: Omit<Page, "seq">): StoredObservation[] {
  const hashes = Buffer.from(ledgerHashes).toString("hex");
  return unpack(facts, rows.length).map((observation, at) =>
    Object.assign(observation, {
      id: rows[at] ?? 0,
      ledgerHash: hashes.slice(at * HASH_DIGITS, (at + 1) * HASH_DIGITS),
    }),
  );
}
