import type Database from "better-sqlite3";
import { uncompactCells } from "h3-js";
import { sha256Hex } from "../kernel/hash.ts";
import { AMONG, Sql } from "../kernel/sql.ts";
import { type DaySpan, type DaySpanKind, spanOf } from "../kernel/time.ts";
import type { CityDetails } from "./rows/rows.ts";

/** Sets of a city's eligible cells as bitmaps: bit n of the text is cell n of the city's sorted list, the highest bit of a byte first. */

const CELL_RESOLUTION = 8;

/** A city's eligible cells, resolution 8, sorted: the list that bitmaps refer to. */
export function eligibleCells({ cells }: Pick<CityDetails, "cells">): string[] {
  return uncompactCells([...cells], CELL_RESOLUTION).sort();
}

/** SHA-256 of the sorted list, in hexadecimal. */
export function cellManifestId(cells: readonly string[]): string {
  return sha256Hex(cells.join("\n"));
}

/** The bitmap of those cells of `looked` that are in the list; undefined when there is none. */
export function cellBitmap(cells: readonly string[], looked: ReadonlySet<string>): string | undefined {
  const bits = Buffer.alloc(Math.ceil(cells.length / 8));
  let isEmpty = true;
  for (const [at, cell] of cells.entries()) {
    if (!looked.has(cell)) continue;
    isEmpty = false;
    bits.writeUInt8(bits.readUInt8(at >> 3) | (0x80 >> (at & 7)), at >> 3);
  }
  return isEmpty ? undefined : bits.toString("base64url");
}

/** The cells of a bitmap, sorted. Throws RangeError for a bitmap of another length than the list's, or with bits beyond it. */
export function bitmapCells(cells: readonly string[], bitmap: string): string[] {
  const bits = Buffer.from(bitmap, "base64url");
  if (bits.length !== Math.ceil(cells.length / 8))
    throw new RangeError(`the bitmap has ${bits.length} bytes for ${cells.length} cells`);
  const spare = bits.length * 8 - cells.length;
  if (spare > 0 && (bits.readUInt8(bits.length - 1) & ((1 << spare) - 1)) !== 0)
    throw new RangeError("the bitmap has bits beyond the list of cells");
  return cells.filter((_, at) => (bits.readUInt8(at >> 3) & (0x80 >> (at & 7))) !== 0);
}

/** Somebody looked for fixed signs in one cell on one day. */
export interface NewLook {
  readonly city: string; // slug
  readonly day: number; // solar day number
  readonly cell: string; // resolution 8
  readonly observer: string; // keyed hash of an observer, or the constant of all observers of a source; never published
  readonly source: string; // id of the source, or the constant of the built-in ones
}

export type LookedBy = Pick<NewLook, "cell" | "observer" | "source">;

/** Whose looks to find or to forget: observers by their keyed hashes, or all of a source. */
export type LeavingLookers = { readonly observers: readonly string[] } | { readonly source: string };

export const LOOK_SPANS = ["day", "week", "month"] as const satisfies readonly DaySpanKind[];

const NOTHING_SETTLED = Number.MIN_SAFE_INTEGER;

/** Looks that wait for their rows, and whose looks the rows are made of. Writes go into a transaction of the ledger's writer. */
export class WaitingLooks {
  readonly #sql: Sql;

  constructor(database: Database.Database) {
    this.#sql = new Sql(database);
  }

  add({ city, day, cell, observer, source }: NewLook): void {
    this.#sql.run("INSERT OR IGNORE INTO looks VALUES (?, ?, ?, ?, ?)", city, day, cell, observer, source);
  }

  /** The last day for which no row of a city is to come: looks of that day and before are too late. */
  closedThrough(city: string): number {
    return Math.min(...LOOK_SPANS.map((span) => this.settledThrough(city, span)));
  }

  /** The last day of the newest span of a kind that is settled. */
  settledThrough(city: string, span: DaySpanKind): number {
    const last = "SELECT last FROM looks_settled WHERE city = ? AND span = ?";
    return this.#sql.value<number>(last, city, span) ?? NOTHING_SETTLED;
  }

  /** Notes that the spans of a kind up to a day have their rows, and deletes the looks that no later row needs. */
  settle(city: string, span: DaySpanKind, last: number): void {
    this.#sql.run("INSERT OR REPLACE INTO looks_settled VALUES (?, ?, ?)", city, span, last);
    this.#sql.run("DELETE FROM looks WHERE city = ? AND day <= ?", city, this.closedThrough(city));
  }

  /** The spans of a kind after day `after` up to day `upTo` with looks, the earliest first. */
  spans(city: string, kind: DaySpanKind, after: number, upTo: number): DaySpan[] {
    const text = "SELECT DISTINCT day FROM looks WHERE city = ? AND day > ? AND day <= ? ORDER BY day";
    const days = this.#sql.column<number>(text, city, after, upTo).map((day) => spanOf(kind, day));
    return days.filter(({ first }, at) => first !== days[at - 1]?.first);
  }

  /** Who looked in which cells in a span, each once; in the order of the cells. */
  inSpan(city: string, { first, last }: DaySpan): LookedBy[] {
    return this.#sql.all(
      `SELECT DISTINCT cell, observer, source FROM looks WHERE city = ? AND day BETWEEN ? AND ?
       ORDER BY cell, observer, source`,
      ...[city, first, last],
    );
  }

  /** Remembers whose looks a row is made of. */
  noteMakers(row: number, makers: Iterable<Pick<NewLook, "observer" | "source">>): void {
    for (const { observer, source } of makers)
      this.#sql.run("INSERT OR IGNORE INTO look_makers VALUES (?, ?, ?)", row, observer, source);
  }

  /** The live look rows that these observers, or this source, made alone; in order. */
  rowsMadeOnlyBy(lookers: LeavingLookers): number[] {
    const [column, values] = among(lookers);
    return this.#sql.column(
      `SELECT row FROM look_makers WHERE row IN (SELECT row FROM openings)
       GROUP BY row HAVING min(${column} ${AMONG}) = 1 ORDER BY row`,
      values,
    );
  }

  /** Whether observers or a source have looks that wait, or are named behind rows. */
  has(lookers: LeavingLookers): boolean {
    const [column, values] = among(lookers);
    return TABLES.some(
      (table) =>
        this.#sql.value(`SELECT 1 FROM ${table} WHERE ${column} ${AMONG} LIMIT 1`, values) !== undefined,
    );
  }

  /** Deletes the waiting looks of observers or a source, and their names behind rows. Rows stay (see `rowsMadeOnlyBy`). */
  forget(lookers: LeavingLookers): void {
    const [column, values] = among(lookers);
    for (const table of TABLES) this.#sql.run(`DELETE FROM ${table} WHERE ${column} ${AMONG}`, values);
  }
}

const TABLES = ["looks", "look_makers"];

function among(lookers: LeavingLookers): ["observer" | "source", readonly string[]] {
  return "source" in lookers ? ["source", [lookers.source]] : ["observer", lookers.observers];
}
