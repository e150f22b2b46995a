import Database from "better-sqlite3";
import pg from "pg";
import type { TestState } from "./stores.ts";

/** Asks the database itself, beside the state. */
export async function ask(test: TestState, query: string): Promise<unknown[]> {
  if (test.url === undefined) {
    const database = new Database(test.home.state);
    const statement = database.prepare(query);
    const rows = statement.reader ? statement.all() : [statement.run()];
    database.close();
    return rows;
  }
  const client = new pg.Client({ connectionString: test.url });
  await client.connect();
  const { rows } = await client.query(query);
  await client.end();
  return rows;
}

/** How many rows each table has. */
export function rowCounts(test: TestState, tables: readonly string[]): Promise<number[]> {
  return Promise.all(tables.map(async (table) => (await ask(test, `SELECT 1 AS one FROM ${table}`)).length));
}
