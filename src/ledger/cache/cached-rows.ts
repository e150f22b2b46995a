/**
 * What a range of sealed rows says, kept between builds, so that a build reads only the rows that came since. A cache: a build without it
 * reads the ledger and makes the same bytes.
 */
import { type PackedTexts, picked } from "../../kernel/packed-texts.ts";
import type { ChainEdge } from "../row-chain.ts";
import type { LedgerRow } from "../rows/rows.ts";

/** A column of texts: for each row the place of its text. */
export interface CachedTexts {
  readonly numbers: Uint8Array | Uint16Array | Uint32Array;
  readonly texts: PackedTexts;
}

type Numbers = Uint8Array | Uint32Array | Float64Array;

/** Columns by name. Rows that are no live observations have zeros. Only the program that kept them knows what they mean. */
export interface CachedColumns {
  readonly record: Uint32Array; // 0: no live observation
  readonly numbers: Readonly<Record<string, Numbers>>; // a whole number of elements for each row
  readonly texts: Readonly<Record<string, CachedTexts>>;
}

/** A row that is no observation, as it was when it was kept. */
export type CachedRow = Exclude<LedgerRow, { kind: "observation" }>;

export interface CachedRows {
  readonly start: ChainEdge;
  readonly end: ChainEdge;
  readonly observations: CachedColumns;
  readonly others: readonly CachedRow[];
}

/** The column of `count` rows with these texts, by number; undefined for a row that has none. */
export function cachedTexts(
  count: number,
  numberAt: (at: number) => number | undefined,
  all: PackedTexts,
): CachedTexts {
  const places = new Map<number, number>();
  const numbers = new Uint32Array(count);
  for (let at = 0; at < count; at += 1) {
    const number = numberAt(at);
    if (number === undefined) continue;
    const place = places.get(number) ?? places.size;
    if (place === places.size) places.set(number, place);
    numbers[at] = place;
  }
  const texts = picked(all, [...places.keys()]);
  if (places.size <= 0x100) return { numbers: new Uint8Array(numbers), texts };
  return { numbers: places.size <= 0x10000 ? new Uint16Array(numbers) : numbers, texts };
}

/** The same without a trace of what these rows said; the same object where they say nothing. */
export function withoutRows(kept: CachedRows, rows: ReadonlySet<number>): CachedRows {
  const { start, end, observations, others } = kept;
  const places = [...rows]
    .filter((row) => row > start.size && row <= end.size)
    .map((row) => row - start.size - 1);
  const left = others.filter(({ id }) => !rows.has(id));
  if (left.length === others.length && places.every((at) => observations.record[at] === 0)) return kept;
  return {
    start,
    end,
    observations: withoutPlaces(observations, places),
    others: left,
  };
}

function withoutPlaces({ record, numbers, texts }: CachedColumns, places: readonly number[]): CachedColumns {
  const count = record.length;
  const left = record.slice();
  for (const at of places) left[at] = 0;
  const cleared = Object.entries(numbers).map(([name, values]) => [name, clearedAt(values, places, count)]);
  const others = Object.entries(texts).map(([name, { numbers, texts }]) => [
    name,
    cachedTexts(count, (at) => (left[at] === 0 ? undefined : numbers[at]), texts),
  ]);
  return { record: left, numbers: Object.fromEntries(cleared), texts: Object.fromEntries(others) };
}

function clearedAt(values: Numbers, places: readonly number[], count: number): Numbers {
  const width = values.length / count;
  const cleared = values.slice();
  for (const at of places) cleared.fill(0, at * width, (at + 1) * width);
  return cleared;
}
