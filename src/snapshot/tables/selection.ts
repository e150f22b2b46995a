/** Typed reads: the columns that a SELECT returns, under the names and in the types of the code. */
import type { Database } from "better-sqlite3";
import type { Columns, RowOf } from "./table.ts";

/** A prepared SELECT. `P` are the values that it binds. */
interface Reader<P extends unknown[], R> {
  get(...parameters: P): R | undefined;
  all(...parameters: P): R[];
}

/** A prepared SELECT of one column, as it is stored. Its functions may be passed on without it. */
export function values<P extends unknown[], T>(db: Database, sql: string) {
  const statement = db.prepare<P, T>(sql).pluck();
  return {
    get: (...parameters: P) => statement.get(...parameters),
    all: (...parameters: P) => statement.all(...parameters),
    iterate: (...parameters: P): Iterable<T> => statement.iterate(...parameters),
  };
}

interface Selection<R> {
  /** `rest` is what follows the columns, from `FROM` on. It names tables in full. */
  prepare<P extends unknown[] = []>(db: Database, rest: string): Reader<P, R>;
}

/** The row that a selection reads. */
export type Selected<S> = S extends Selection<infer R> ? R : never;

/** All of these columns except `without`. */
export function selection<C extends Columns, W extends keyof C & string = never>(
  columns: C,
  ...without: readonly W[]
): Selection<Omit<RowOf<C>, W>> {
  type Row = Omit<RowOf<C>, W>;
  const left: ReadonlySet<string> = new Set(without);
  const entries = Object.entries(columns).filter(([property]) => !left.has(property));
  const list = entries.map(([property, { sql }]) => `${sql} AS "${property}"`).join(", ");
  const decoders = entries.flatMap(([property, { decode }]) =>
    decode === undefined ? [] : [{ property, decode }],
  );
  /** In place: the row comes fresh out of the database. */
  const decoded = (row: Row & Record<string, unknown>): Row => {
    for (const { property, decode } of decoders) Reflect.set(row, property, decode(row[property]));
    return row;
  };
  return {
    prepare<P extends unknown[]>(db: Database, rest: string) {
      const statement = db.prepare<P, Row & Record<string, unknown>>(`SELECT ${list} ${rest}`);
      return {
        get(...parameters: P) {
          const row = statement.get(...parameters);
          return row === undefined ? undefined : decoded(row);
        },
        all: (...parameters: P) => statement.all(...parameters).map(decoded),
      };
    },
  };
}
