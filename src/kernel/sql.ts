import type Database from "better-sqlite3";

type Bound = string | number | Buffer | null;
type Value = Bound | readonly (string | number)[];

/** Behind a column: whether it has one of the values of a list, which is one parameter. */
export const AMONG = "IN (SELECT value FROM json_each(?))";

/**
 * Runs SQL on a connection. Each text is prepared once: it may be asked for with each of a million rows, and preparing takes six times as long
 * as running. A list among the values goes in as JSON (`AMONG`). The types of results are the caller's word.
 */
export class Sql {
  readonly #database: Database.Database;
  readonly #prepared = new Map<string, Database.Statement<Bound[], never>>();

  constructor(database: Database.Database) {
    this.#database = database;
  }

  all<Row>(text: string, ...values: Value[]): Row[] {
    return this.#statement(text, false).all(...values.map(bound));
  }

  get<Row>(text: string, ...values: Value[]): Row | undefined {
    return this.#statement(text, false).get(...values.map(bound));
  }

  /** The first column of each row. */
  column<T>(text: string, ...values: Value[]): T[] {
    return this.#statement(text, true).all(...values.map(bound));
  }

  /** The first column of the first row. */
  value<T>(text: string, ...values: Value[]): T | undefined {
    return this.#statement(text, true).get(...values.map(bound));
  }

  /** Returns how many rows it changed. */
  run(text: string, ...values: Value[]): number {
    return this.#prepare(text).run(...values.map(bound)).changes;
  }

  #statement(text: string, isPlucked: boolean): Database.Statement<Bound[], never> {
    return this.#prepare(text).pluck(isPlucked);
  }

  #prepare(text: string): Database.Statement<Bound[], never> {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const statement = this.#database.prepare<Bound[], never>(text);
    this.#prepared.set(text, statement);
    return statement;
  }
}

function bound(value: Value): Bound {
  return typeof value === "object" && value !== null && !Buffer.isBuffer(value)
    ? JSON.stringify(value)
    : value;
}
