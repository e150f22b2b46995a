import type Database from "better-sqlite3";

type Value = string | number | Buffer | null;

/** Prepares statements as functions of their parameters. The types of parameters and results are the caller's word. */
export function statements(database: Database.Database) {
  return {
    all: <P extends Value[], R>(sql: string) => {
      const statement = database.prepare<P, R>(sql);
      return (...values: P): R[] => statement.all(...values);
    },
    get: <P extends Value[], R>(sql: string) => {
      const statement = database.prepare<P, R>(sql);
      return (...values: P): R | undefined => statement.get(...values);
    },
    /** The first column of the first row. */
    value: <P extends Value[], R>(sql: string) => {
      const statement = database.prepare<P, R>(sql).pluck();
      return (...values: P): R | undefined => statement.get(...values);
    },
    /** Runs once, and says how many rows it changed. */
    change: <P extends Value[]>(sql: string, ...values: P): { readonly changes: number } =>
      database.prepare<P>(sql).run(...values),
    run: <P extends Value[]>(sql: string) => {
      const statement = database.prepare<P>(sql);
      return (...values: P): void => {
        statement.run(...values);
      };
    },
  };
}
