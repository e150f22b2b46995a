import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { SECRET_MODE } from "../kernel/files/secret-file.ts";
import { sha256 } from "../kernel/hash.ts";
import { type PackedTexts, picked } from "../kernel/packed-texts.ts";
import type { LedgerRow } from "./rows/rows.ts";
import type { ChainEdge } from "./verified-rows.ts";

/**
 * What a range of sealed rows says, kept between builds, so that a build reads only the rows that came since. A cache: a build without it
 * reads the ledger and makes the same bytes.
 */

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

/** Of the files, which V8 reads and writes; those of another one are deleted. */
const FORMAT = `3 ${process.versions.v8}`;
const HASH_BYTES = 32;

interface CacheFile {
  readonly format: string;
  readonly program: string; // that folded the rows
  readonly kept: CachedRows;
}

/**
 * The folder of cached rows, which lies beside the ledger: one file for each range. Owns its files; whatever is wrong with one, it is as
 * if it were not there.
 */
export class RowCache {
  readonly #folder: string;

  constructor(ledgerPath: string) {
    this.#folder = `${ledgerPath}-cache`;
  }

  /**
   * The ranges that `program` kept, in order from the first row, without `erased` rows, up to `upTo`. Ends before one that is missing or
   * damaged, or does not continue the one before.
   */
  *ranges(program: string, upTo: number, erased: ReadonlySet<number>): Generator<CachedRows> {
    for (let last: CachedRows | undefined; ; ) {
      const file = this.#read(nameOf(last?.end.size ?? 0), erased);
      if (file?.program !== program || file.kept.end.size > upTo || !continues(file.kept, last)) return;
      last = file.kept;
      yield last;
    }
  }

  /** Where the range cannot be written, it is not there: no build fails for a cache, and no erased value stays. */
  write(program: string, kept: CachedRows): void {
    const file: CacheFile = { format: FORMAT, program, kept };
    const body = serialize(file);
    const path = join(this.#folder, nameOf(kept.start.size));
    const written = `${path}.new`;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(written, Buffer.concat([sha256(body), body]), { mode: SECRET_MODE });
      renameSync(written, path);
    } catch {
      for (const left of [written, path]) rmSync(left, { recursive: true, force: true });
    }
  }

  /** Writes every range anew that says anything of these rows, and deletes what is no range. */
  erase(rows: ReadonlySet<number>): void {
    for (const name of this.#names()) this.#read(name, rows);
  }

  clear(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #names(): string[] {
    const isFolder = statSync(this.#folder, { throwIfNoEntry: false })?.isDirectory() === true;
    return isFolder ? readdirSync(this.#folder) : [];
  }

  #read(name: string, erased: ReadonlySet<number>): CacheFile | undefined {
    const path = join(this.#folder, name);
    const file = readFile(path);
    if (file === undefined || name !== nameOf(file.kept.start.size)) {
      rmSync(path, { recursive: true, force: true });
      return undefined;
    }
    const kept = withoutRows(file.kept, erased);
    if (kept !== file.kept) this.write(file.program, kept);
    return { ...file, kept };
  }
}

function nameOf(after: number): string {
  return `rows-${after + 1}`;
}

function readFile(path: string): CacheFile | undefined {
  try {
    const bytes = readFileSync(path);
    const body = bytes.subarray(HASH_BYTES);
    if (!sha256(body).equals(bytes.subarray(0, HASH_BYTES))) return undefined;
    const file: CacheFile = deserialize(body);
    return file.format === FORMAT ? file : undefined;
  } catch {
    return undefined;
  }
}

function continues({ start }: CachedRows, before: CachedRows | undefined): boolean {
  return before === undefined ? start.size === 0 : Buffer.from(start.peaks).equals(before.end.peaks);
}
