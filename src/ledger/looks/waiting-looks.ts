import type Database from "better-sqlite3";
import { type DaySpan, type DaySpanKind, spanOf } from "../../kernel/day-spans.ts";
import { statements } from "../database/statements.ts";

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
  readonly #statements: ReturnType<typeof statements>;
  readonly #add: (...look: [string, number, string, string, string]) => void;
  readonly #settled: (city: string, span: string) => number | undefined;

  constructor(database: Database.Database) {
    this.#statements = statements(database);
    this.#add = this.#statements.run("INSERT OR IGNORE INTO looks VALUES (?, ?, ?, ?, ?)");
    this.#settled = this.#statements.value("SELECT last FROM looks_settled WHERE city = ? AND span = ?");
  }

  add({ city, day, cell, observer, source }: NewLook): void {
    this.#add(city, day, cell, observer, source);
  }

  /** The last day for which no row of a city is to come: looks of that day and before are too late. */
  closedThrough(city: string): number {
    return Math.min(...LOOK_SPANS.map((span) => this.settledThrough(city, span)));
  }

  /** The last day of the newest span of a kind that is settled. */
  settledThrough(city: string, span: DaySpanKind): number {
    return this.#settled(city, span) ?? NOTHING_SETTLED;
  }

  /** Notes that the spans of a kind up to a day have their rows, and deletes the looks that no later row needs. */
  settle(city: string, span: DaySpanKind, last: number): void {
    this.#statements.run<[string, string, number]>("INSERT OR REPLACE INTO looks_settled VALUES (?, ?, ?)")(
      city,
      span,
      last,
    );
    this.#statements.run<[string, number]>("DELETE FROM looks WHERE city = ? AND day <= ?")(
      city,
      this.closedThrough(city),
    );
  }

  /** The spans of a kind after day `after` up to day `upTo` with looks, the earliest first. */
  spans(city: string, kind: DaySpanKind, after: number, upTo: number): DaySpan[] {
    const days = this.#statements
      .all<[string, number, number], { day: number }>(
        "SELECT DISTINCT day FROM looks WHERE city = ? AND day > ? AND day <= ? ORDER BY day",
      )(city, after, upTo)
      .map(({ day }) => spanOf(kind, day));
    return days.filter(({ first }, at) => first !== days[at - 1]?.first);
  }

  /** Who looked in which cells in a span, each once; in the order of the cells. */
  inSpan(city: string, { first, last }: DaySpan): LookedBy[] {
    return this.#statements.all<[string, number, number], LookedBy>(
      `SELECT DISTINCT cell, observer, source FROM looks WHERE city = ? AND day BETWEEN ? AND ?
       ORDER BY cell, observer, source`,
    )(city, first, last);
  }

  /** Remembers whose looks a row is made of. */
  noteMakers(row: number, makers: Iterable<Pick<NewLook, "observer" | "source">>): void {
    const note = this.#statements.run<[number, string, string]>(
      "INSERT OR IGNORE INTO look_makers VALUES (?, ?, ?)",
    );
    for (const { observer, source } of makers) note(row, observer, source);
  }

  /** The live look rows that these observers, or this source, made alone; in order. */
  rowsMadeOnlyBy(lookers: LeavingLookers): number[] {
    const [column, values] = among(lookers);
    return this.#statements
      .all<[string], { row: number }>(
        `SELECT row FROM look_makers WHERE row IN (SELECT row FROM openings)
         GROUP BY row HAVING min(${column} IN (SELECT value FROM json_each(?))) = 1 ORDER BY row`,
      )(values)
      .map(({ row }) => row);
  }

  /** Whether observers or a source have looks that wait, or are named behind rows. */
  has(lookers: LeavingLookers): boolean {
    const [column, values] = among(lookers);
    return ["looks", "look_makers"].some(
      (table) =>
        this.#statements.value<[string], number>(
          `SELECT 1 FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(?)) LIMIT 1`,
        )(values) !== undefined,
    );
  }

  /** Deletes the waiting looks of observers or a source, and their names behind rows. Rows stay (see `rowsMadeOnlyBy`). */
  forget(lookers: LeavingLookers): void {
    const [column, values] = among(lookers);
    for (const table of ["looks", "look_makers"])
      this.#statements.run<[string]>(
        `DELETE FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(?))`,
      )(values);
  }
}

function among(lookers: LeavingLookers): ["observer" | "source", string] {
  return "source" in lookers
    ? ["source", JSON.stringify([lookers.source])]
    : ["observer", JSON.stringify(lookers.observers)];
}
