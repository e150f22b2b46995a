import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type Database from "better-sqlite3";
import { type Dialect, PostgresDialect, type SqliteDatabase, type SqliteStatement } from "kysely";
import pg from "pg";
import { createDatabaseFile, openDatabaseFile } from "../kernel/database-file.ts";
import { SECRET_MODE } from "../kernel/files/secret-file.ts";
import type { Secret } from "../kernel/secret.ts";
import type { EngineName } from "../kernel/table.ts";
import { ensureGeneration } from "./generation.ts";
import { HeldDatabase } from "./held-database.ts";
import { SharedSqliteDialect } from "./sqlite-dialect.ts";
import { STATE_KIND } from "./state-file.ts";

/** The differences between the two databases that can hold the state. */
export interface Engine {
  readonly name: EngineName;
  readonly dialect: Dialect;
  /** The files of SQLite; PostgreSQL has none of ours. */
  readonly held?: HeldDatabase | undefined;
}

const OPEN_MS = 5000;
const CONNECT_MS = 10_000;
const MAX_CONNECTIONS = 10;
const MAX_STATEMENTS = 300;

/** Opens or creates the file, with that mode, because it holds email addresses. */
export function sqliteEngine(path: string, mode = SECRET_MODE): Engine {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  createDatabaseFile(path, STATE_KIND, mode);
  const database = openDatabaseFile(path, { timeout: OPEN_MS, kind: STATE_KIND });
  try {
    database.pragma("journal_mode = WAL"); // a copy that somebody put here may have another
    database.pragma("synchronous = FULL");
    database.pragma("foreign_keys = ON");
    database.pragma("secure_delete = ON"); // deleted addresses are gone from the file, too
    const generation = ensureGeneration(database);
    database.pragma("busy_timeout = 0"); // from here on the dialect waits
    const held = new HeldDatabase(database, path, generation);
    return {
      name: "sqlite",
      dialect: new SharedSqliteDialect(keepingStatements(database, held), held),
      held,
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The builder makes the same few texts over and over, and parsing one takes longer than running it. */
function keepingStatements(database: Database.Database, held: HeldDatabase): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    prepare(sql) {
      const known = statements.get(sql);
      if (known !== undefined) return known;
      if (statements.size >= MAX_STATEMENTS) statements.clear();
      const statement = database.prepare<unknown[]>(sql);
      statements.set(sql, statement);
      return statement;
    },
    close: () => held.close(),
  };
}

/** `url` is a `postgres://` address. Does not connect yet. */
export function postgresEngine(url: Secret): Engine {
  const pool = new pg.Pool({
    connectionString: url.reveal(),
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: "presence",
    types: { getTypeParser: numericParser },
  });
  // The pool drops an idle connection that broke, and the next query opens another; unheard, the event would end the process.
  pool.on("error", () => undefined);
  return { name: "postgres", dialect: new PostgresDialect({ pool }) };
}

/** Every whole number here is below 2^53: ids, times, counts. */
const numericParser: typeof pg.types.getTypeParser = (type, format) =>
  type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format);
