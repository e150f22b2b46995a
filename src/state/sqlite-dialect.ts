import { setTimeout as sleep } from "node:timers/promises";
import {
  CompiledQuery,
  type DatabaseConnection,
  type QueryResult,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
} from "kysely";
import type { HeldDatabase } from "./held-database.ts";

/** How long another process may hold the file; transactions take milliseconds. */
const BUSY_MS = 5000;
const MAX_PAUSE_MS = 50;

/**
 * SQLite for several processes. Transactions take the write lock when they begin: one that reads first and then wants to write is refused at
 * once when another process wrote in between, and no waiting helps. Who has to wait for the lock does so between events, where SQLite's own
 * time-out would stop the whole process. Migrations gain by it, too: two processes that start together run them once.
 */
export class SharedSqliteDialect extends SqliteDialect {
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
    return new HeldConnection(new PatientConnection(await super.acquireConnection()), this.#held);
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
      const result = await this.#connection.executeQuery<R>(query);
      this.#check(isRead);
      return result;
    } catch (error) {
      throw this.#held.translated(error);
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#connection.streamQuery<R>(query, chunkSize);
  }

  #check(isRead: boolean): void {
    if (this.#held.loss !== undefined) throw this.#held.loss;
    if (!isRead && !this.#held.isInTransaction) this.#held.assertHeld();
  }
}

class PatientConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
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

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#connection.streamQuery<R>(query, chunkSize);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
}
