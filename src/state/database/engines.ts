import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type Database from "better-sqlite3";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  PostgresDialect,
  type QueryResult,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from "kysely";
import pg from "pg";
import { createDatabaseFile, openDatabaseFile } from "../../kernel/database-file.ts";
import { SECRET_MODE } from "../../kernel/files/secret-file.ts";
import type { Secret } from "../../kernel/secret.ts";
import type { EngineName } from "../../kernel/table.ts";
import { ensureGeneration, STATE_KIND } from "./database-file.ts";
import { HeldDatabase } from "./held-database.ts";

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

/** How long another process may hold the file; transactions take milliseconds. */
const BUSY_MS = 5000;
const MAX_PAUSE_MS = 50;

/**
 * SQLite for several processes. Transactions take the write lock when they begin: one that reads first and then wants to write is refused at
 * once when another process wrote in between, and no waiting helps. Who has to wait for the lock does so between events, where SQLite's own
 * time-out would stop the whole process. Migrations gain by it, too: two processes that start together run them once.
 */
class SharedSqliteDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;
  readonly #held: HeldDatabase;

  constructor(database: SqliteDatabase, held: HeldDatabase) {
    super({ database });
    this.#database = database;
    this.#held = held;
  }

  override createDriver(): SqliteDriver {
    return new SharedSqliteDriver(this.#database, this.#held);
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalSqliteAdapter();
  }
}

class SharedSqliteDriver extends SqliteDriver {
  readonly #held: HeldDatabase;

  constructor(database: SqliteDatabase, held: HeldDatabase) {
    super({ database });
    this.#held = held;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new HeldConnection(await super.acquireConnection(), this.#held);
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }
}

class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** What only reads; `with` may begin a statement that writes. */
const READS = /^\s*(select|pragma)\b/i;

/**
 * Answers a write only when the files are those that were opened, before and after it: then it is in them. A transaction is one write. Who
 * only reads relies on the look that is taken every second.
 */
class HeldConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection;
  readonly #held: HeldDatabase;

  constructor(connection: DatabaseConnection, held: HeldDatabase) {
    this.#connection = connection;
    this.#held = held;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const isRead = READS.test(query.sql);
    this.#check(isRead);
    try {
      const result = await this.#patiently<R>(query);
      this.#check(isRead);
      return result;
    } catch (error) {
      throw this.#held.translated(error);
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#connection.streamQuery<R>(query, chunkSize);
  }

  async #patiently<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const giveUp = performance.now() + BUSY_MS;
    for (let pause = 1; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      try {
        return await this.#connection.executeQuery<R>(query);
      } catch (error) {
        if (!isBusy(error) || performance.now() > giveUp) throw error;
        await sleep(pause);
      }
    }
  }

  #check(isRead: boolean): void {
    if (this.#held.loss !== undefined) throw this.#held.loss;
    if (!isRead && !this.#held.isInTransaction) this.#held.assertHeld();
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
}
