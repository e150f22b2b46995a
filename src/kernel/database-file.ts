import { type BigIntStats, fstatSync, lstatSync, readdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { OperatorError } from "./errors.ts";
import { removeDrafts, reserveSecret } from "./files/secret-file.ts";

/**
 * Opens an SQLite file only if it is what its path promises: one regular file with one name, beside files of its log that are the same, and a
 * database of the expected kind. SQLite itself follows links, so a link in the place of a database or of its log would lead a write elsewhere;
 * and a planted rollback journal can name a file that SQLite then deletes. Our databases have a write-ahead log, or are never written again.
 *
 * The connection's own file is checked without opening another descriptor: closing one would drop the locks of this process on the file (POSIX).
 */

export interface DatabaseKind {
  /** The PRAGMA of that name. */
  readonly applicationId: number;
  readonly name: string; // completes "it is not …"
  /** A database that presence 1.x wrote is refused as that. */
  readonly of1x?: {
    readonly applicationId: number;
    readonly table?: string; // by which it is known where others have this id, too
    readonly format: StoreFormat;
  };
}

interface OpenOptions {
  readonly readonly?: boolean;
  readonly timeout?: number; // ms
  /** Undefined: any database, whose kind the caller checks. */
  readonly kind?: DatabaseKind | undefined;
}

const LOGS = ["-wal", "-shm"];
const DESCRIPTORS = "/proc/self/fd"; // of Linux
/** A new file has two names until it has lost that under which it was made. */
const SETTLE_MS = 10;
const SETTLE_TRIES = 50;

/** Opens a database that must exist, and changes nothing. Throws OperatorError for anything else in its place, OtherStoreVersion for that of 1.x. */
export function openDatabaseFile(
  path: string,
  { readonly = false, timeout = 10_000, kind }: OpenOptions = {},
): Database.Database {
  const file = plainFile(path);
  const database = new Database(path, { readonly, timeout, fileMustExist: true });
  try {
    assertKind(database, path, kind); // the first read, which opens the log, too
    if (plainFile(path).ino !== file.ino) throw replaced(path);
    for (const each of [path, `${path}-wal`]) assertOpen(each);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Creates an empty database of this kind with a write-ahead log; it appears whole, and an existing file stays. */
export function createDatabaseFile(path: string, { applicationId }: DatabaseKind, mode: number): void {
  const database = new Database(":memory:");
  database.pragma(`application_id = ${applicationId}`);
  const content = database.serialize();
  database.close();
  reserveSecret(path, mode, content.fill(WITH_LOG, WRITE_VERSION_AT, READ_VERSION_AT + 1));
}

/** In the header of a database: whether it has a write-ahead log, which one in memory cannot have. */
const [WRITE_VERSION_AT, READ_VERSION_AT, WITH_LOG] = [18, 19, 2];

/** Throws OperatorError where there is something else than a database with one name and a log of its own. Opens nothing. */
export function assertPlainDatabase(path: string): void {
  plainFile(path);
}

function plainFile(path: string): BigIntStats {
  const file = plain(path);
  if (file === undefined) throw new OperatorError(`${path}: file not found`);
  for (const ending of LOGS) plain(path + ending);
  if (lstatOf(`${path}-journal`) !== undefined)
    throw new OperatorError(
      `${path}-journal: this journal does not belong to the database beside it: find out who made it, and move it away`,
    );
  return file;
}

/** The file of that name; undefined where there is none. */
function plain(path: string, tries = SETTLE_TRIES): BigIntStats | undefined {
  const stats = lstatOf(path);
  if (stats === undefined) return undefined;
  if (!stats.isFile()) throw misplaced(path, kindOf(stats));
  assertOwner(path, stats);
  if (stats.nlink <= 1n) return stats;
  if (tries === 0) {
    if (removeDrafts(path)) return plain(path, tries); // whoever made it was killed
    throw misplaced(path, `a file with ${stats.nlink} names (hard links)`);
  }
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SETTLE_MS);
  return plain(path, tries - 1);
}

/** It is this user's, that of the folder's owner, or, where two users share a folder, of the folder's group. */
function assertOwner(path: string, { uid, gid }: BigIntStats): void {
  const folder = statSync(dirname(path), { bigint: true });
  const isShared = (folder.mode & 0o020n) !== 0n && gid === folder.gid;
  if (isShared || uid === folder.uid || uid === BigInt(process.geteuid?.() ?? uid)) return;
  throw misplaced(path, `a file of another user (${uid})`);
}

function lstatOf(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}

function kindOf(stats: BigIntStats): string {
  if (stats.isSymbolicLink()) return "a symbolic link";
  return stats.isDirectory() ? "a folder" : "no regular file";
}

function misplaced(path: string, what: string): OperatorError {
  return new OperatorError(
    `${path}: it is ${what}, and must be a regular file of its own: find out who made it, move it away, and restore the file from your backup`,
  );
}

function replaced(path: string): OperatorError {
  return new OperatorError(
    `${path}: the file was replaced while it was being opened: find out who replaced it, and run again`,
  );
}

function assertKind(database: Database.Database, path: string, kind: DatabaseKind | undefined): void {
  const id = Number(database.pragma("application_id", { simple: true }));
  if (kind === undefined || id === kind.applicationId) return;
  const { of1x } = kind;
  if (id === of1x?.applicationId && hasTable(database, of1x.table))
    throw new OtherStoreVersion(path, of1x.format, VERSION_OF_1X);
  throw new OperatorError(`${path}: it is not ${kind.name} (its application id is ${id})`);
}

function hasTable(database: Database.Database, name: string | undefined): boolean {
  return (
    name === undefined ||
    database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(name) !== undefined
  );
}

/** Throws OperatorError where this process has not opened the file that has this name now: then SQLite opened another one. */
function assertOpen(path: string): void {
  const named = plain(path);
  if (named === undefined || process.platform !== "linux") return;
  if (!readdirSync(DESCRIPTORS).some((descriptor) => isDescriptorOf(named, Number(descriptor))))
    throw replaced(path);
}

function isDescriptorOf({ dev, ino }: BigIntStats, descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    return stats.ino === ino && stats.dev === dev;
  } catch {
    return false; // closed meanwhile, like that of the listing itself
  }
}

/** A store of the program (ledger, state, snapshot, backup) and the versions of it that this program reads. */
export interface StoreFormat {
  /** Completes "the … was written by": `ledger`, `state`, `snapshot`, `backup`. */
  readonly store: string;
  /** What this program writes. Each store counts from 1, which presence 2.0.0 wrote first. */
  readonly version: number;
  /** The oldest version that this program reads, or migrates on opening for writing. */
  readonly oldest: number;
  /** What to do about an older one that is not migrated: "run `presence build`". */
  readonly remedy: string;
}

/** The version of every store that presence 1.x wrote, recognized by its application id or its marks. */
export const VERSION_OF_1X = 0;

/** A store of a version that this program does not read. */
export class OtherStoreVersion extends OperatorError {
  readonly version: number;
  readonly isNewer: boolean;

  constructor(path: string, format: StoreFormat, version: number) {
    super(`${path}: ${refusal(format, version)}`);
    this.version = version;
    this.isNewer = version > format.version;
  }
}

/** Throws OtherStoreVersion for a version that this program neither reads nor migrates. */
export function assertStoreVersion(path: string, format: StoreFormat, version: number): void {
  if (version > format.version || version < format.oldest) throw new OtherStoreVersion(path, format, version);
}

function refusal({ store, version: own, oldest, remedy }: StoreFormat, version: number): string {
  if (version > own)
    return `the ${store} was written by a newer version of presence (format ${version}; this one reads up to ${own}): install that version, or a later one`;
  if (version === VERSION_OF_1X)
    return `the ${store} was written by presence 1.x, whose formats no later version reads: ${remedy}`;
  return `the ${store} was written by an older version of presence (format ${version}; this one reads from ${oldest}): ${remedy}`;
}
