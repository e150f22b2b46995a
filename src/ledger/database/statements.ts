import type Database from "better-sqlite3";

type Value = string | number | Buffer | null;

/**
 * Prepares statements as functions of their parameters. The types of parameters and results are the caller's word. A statement that
 * writes is prepared once: it may be asked for with each of a million rows, and preparing it takes six times as long as running it.
 */
export function statements(database: Database.Database) {
  const writes = new Map<string, Database.Statement<Value[]>>();
  const write = (sql: string) => {
    const statement = writes.get(sql) ?? database.prepare<Value[]>(sql);
    writes.set(sql, statement);
    return statement;
  };
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
      write(sql).run(...values),
    run: <P extends Value[]>(sql: string) => {
      const statement = write(sql);
      return (...values: P): void => {
        statement.run(...values);
      };
    },
  };
}
