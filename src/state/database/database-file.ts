import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from "node:fs";
import Database from "better-sqlite3";
import { assertPlainDatabase, type DatabaseKind, openDatabaseFile } from "../../kernel/database-file.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { systemRandom } from "../../kernel/ids.ts";
import { stateFormat } from "./migrate.ts";

/** The state cannot be used through this connection any more: its files were replaced, removed or damaged. */
export class StateLost extends OperatorError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StateLost";
  }
}

/** What SQLite answers for a file, or a write-ahead log, that does not hold what it should. */
const DAMAGE = /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ|READONLY_DBMOVED)/;

/** An error of SQLite that says that the file is damaged; undefined for every other error. */
export function damageOf(error: unknown, path: string): StateLost | undefined {
  if (!(error instanceof Error && "code" in error && DAMAGE.test(String(error.code)))) return undefined;
  return new StateLost(
    `${path}: the database is damaged (${error.message}): stop the server and every worker, keep this file, and restore the newest backup`,
    { cause: error },
  );
}

/** The application id is "PPST". */
export const STATE_KIND: DatabaseKind = {
  applicationId: 0x50505354,
  name: "a state database",
  of1x: { applicationId: 0, table: "kysely_migration", format: stateFormat("sqlite") },
};

/** Facts about a `state.db`, read without opening the state. */
export interface StateFile {
  /** The format of its tables: see migrate.ts. */
  readonly version: number;
  /** Identifies the key it belongs to (state-key.ts). */
  readonly keyCheck: string;
}

const MAX_PROBLEMS = 5;

/** Problems that SQLite finds in the file, a few words each; empty for a sound file. Throws OperatorError for what is no state at all. `isFull`: compares the indexes, too. */
export function stateDamage(path: string, isFull = false): string[] {
  const check = isFull ? "integrity_check" : "quick_check";
  let database: Database.Database | undefined;
  try {
    database = openDatabaseFile(path, { readonly: true, kind: STATE_KIND });
    const problems = database.prepare<[], string>(`PRAGMA ${check}(${MAX_PROBLEMS})`).pluck().all();
    return problems.filter((line) => line !== "ok");
  } catch (error) {
    const damage = damageOf(error, path);
    if (damage === undefined) throw error;
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    database?.close();
  }
}

/** Undefined when there is none, or when it is being made just now. Nothing is brought up to date. */
export function readStateFile(path: string): StateFile | undefined {
  if (!existsSync(path)) return undefined;
  const database = openDatabaseFile(path, { readonly: true, kind: STATE_KIND });
  try {
    const store = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'store'").get();
    if (store === undefined) return undefined;
    return database.prepare<[], StateFile>("SELECT version, key_check AS keyCheck FROM store").get();
  } finally {
    database.close();
  }
}

/**
 * The generation of a state database: a random number in the header of its file (`user_version`). A restore and a backup give their copies another
 * one, so a process that has the file open notices a copy that was written over it.
 */

/** The generation; a database without one gets it. */
export function ensureGeneration(database: Database.Database): number {
  const known = generationOf(database);
  if (known !== 0) return known;
  database
    .transaction(() => {
      if (generationOf(database) === 0) setGeneration(database);
    })
    .immediate();
  database.pragma("wal_checkpoint(TRUNCATE)"); // the file itself tells it from now on
  return generationOf(database);
}

/** Gives a copy, which nobody has open, another generation. */
export function renewGeneration(path: string): void {
  const database = openDatabaseFile(path, { kind: STATE_KIND });
  try {
    setGeneration(database);
    database.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
}

function generationOf(database: Database.Database): number {
  return Number(database.pragma("user_version", { simple: true }));
}

/** Below 2^31; zero stands for none. Never from a seed: no two copies may get the same one. */
function setGeneration(database: Database.Database): void {
  database.pragma(`user_version = ${systemRandom(4).readUInt32BE() >>> 1 || 1}`);
}

/**
 * The header of a database file, read without SQLite. The descriptors stay open for as long as their file has a name, because closing one would drop
 * every lock that this process has on the file (POSIX), and with it those of SQLite.
 */

const MAGIC = "SQLite format 3\0";
const VERSION_AT = 60; // of `user_version`, four bytes
const HEADER_BYTES = 64;

const descriptors = new Map<string, number>();

/** The file's `user_version`; undefined when the file does not begin as a database does. `id` is its device and inode. */
export function headerVersion(path: string, id: string): number | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  const length = readSync(descriptorOf(path, id), header, 0, HEADER_BYTES, 0);
  const isDatabase = length === HEADER_BYTES && header.toString("latin1", 0, MAGIC.length) === MAGIC;
  return isDatabase ? header.readInt32BE(VERSION_AT) : undefined;
}

function descriptorOf(path: string, id: string): number {
  const known = descriptors.get(id);
  if (known !== undefined) return known;
  closeDeleted();
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  descriptors.set(`${dev}:${ino}`, descriptor);
  return descriptor;
}

/** Nobody can open a deleted file any more, so nobody needs a lock on it. */
function closeDeleted(): void {
  for (const [id, descriptor] of descriptors) {
    if (fstatSync(descriptor).nlink > 0) continue;
    descriptors.delete(id);
    closeSync(descriptor);
  }
}

/**
 * Whether another connection, of any process, has this database (in WAL mode) open. Each holds a shared lock for as long as it is open, so
 * an exclusive one is refused. Nobody is hurt by the try: it waits for nothing and holds nothing.
 */
export function isHeld(path: string): boolean {
  assertPlainDatabase(path);
  const database = new Database(path, { fileMustExist: true, timeout: 0 });
  try {
    database.pragma("locking_mode = EXCLUSIVE"); // before the first access: takes the lock of the file itself
    database.pragma("user_version");
    return false;
  } catch (error) {
    // A file that is no database, or not this user's, is for whoever opens it to name.
    return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
  } finally {
    database.close();
  }
}

/**
 * Refuses a database whose write-ahead log was removed while somebody has it open: a new log beside the index of the old one would
 * damage it. After a crash the log is still there. Throws OperatorError also where there is no database and must be one.
 */
export function assertWhole(path: string, mustExist: boolean): void {
  if (!existsSync(path)) {
    if (!mustExist) return;
    throw new OperatorError(
      `${path}: the database is gone: restore it from your backup, then start the server again`,
    );
  }
  if (existsSync(`${path}-shm`) && !existsSync(`${path}-wal`) && isHeld(path))
    throw new OperatorError(
      `${path}: its -wal file was removed while another process has the database open: stop the server and every worker, and start them again`,
    );
}
