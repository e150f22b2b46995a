import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { z } from "zod";
import { Environment } from "../../contract/enums.ts";
import {
  assertStoreVersion,
  type DatabaseKind,
  openDatabaseFile,
  type StoreFormat,
} from "../../kernel/database-file.ts";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { moveWithoutReplacing } from "../../kernel/files/durable-file.ts";
import { reserveSecret } from "../../kernel/files/secret-file.ts";
import { type RandomBytes, systemRandom } from "../../kernel/ids.ts";
import { NAME_KEY_VERSION } from "../../kernel/text/name-key.ts";
import type { Clock } from "../../kernel/time.ts";
import { isKeyName } from "../../proof/tlog/note.ts";
import { insertFirstKey, loadKeyRing, putManifestKey } from "../keys/key-ring.ts";
import {
  createKeys,
  endorsed,
  fileSigners,
  intakeKeyPath,
  loadIntakeKey,
  manifestKeyPath,
  type PurposeKey,
  readSigner,
  type SignerSource,
  signingKeyPath,
} from "../keys/keys.ts";
import { createHead } from "../tree/checkpoints.ts";
import { acquireLock, type Lock } from "./lock.ts";
import { APPLICATION_ID, APPLICATION_ID_OF_1X, LEDGER_TABLES, PAGE_SIZE } from "./tables.ts";

/** Brings a ledger from one format to the next, within a transaction. */
export type Migration = (database: Database.Database) => void;

export interface LedgerFormat extends StoreFormat {
  /** One for each format from `oldest` on, in order; the last one leads to `version`. */
  readonly migrations: readonly Migration[];
}

/** Raised when a version writes what the version before would misread. A rise without a migration empties the list. */
const FORMAT_VERSION = 6;
const MIGRATIONS: readonly Migration[] = [];

export const LEDGER_FORMAT = ledgerFormat(FORMAT_VERSION, MIGRATIONS);
export const LEDGER_KIND: DatabaseKind = {
  applicationId: APPLICATION_ID,
  name: "a ledger file",
  of1x: { applicationId: APPLICATION_ID_OF_1X, format: LEDGER_FORMAT },
};

export function ledgerFormat(version: number, migrations: readonly Migration[]): LedgerFormat {
  return {
    store: "ledger",
    version,
    oldest: version - migrations.length,
    remedy: "continue with the version that wrote it, or start over in an empty PRESENCE_HOME",
    migrations,
  };
}

/** What is fixed when a ledger is created: each member is a column of the table `meta`. */
const LedgerMeta = z.object({
  environment: Environment,
  origin: z.string(),
  vkey: z.string(),
  intake_check: z.string(),
  name_key_version: z.int(), // of `nameKey`
});
export type LedgerMeta = z.infer<typeof LedgerMeta>;

export interface OpenLedger {
  readonly database: Database.Database;
  readonly meta: LedgerMeta;
}

/** Within the creation of a ledger. */
export function insertMeta(database: Database.Database, meta: LedgerMeta, createdAt: number): void {
  const values = { id: 1, ...meta, created_at: createdAt };
  const columns = Object.keys(values);
  database
    .prepare(`INSERT INTO meta (${columns}) VALUES (${columns.map((column) => `@${column}`)})`)
    .run(values);
}

interface OpenAs {
  readonly readonly: boolean;
  readonly format: LedgerFormat;
}

/** Opens a ledger for reading. Throws as `openOfFormat` and `readMeta` do. */
export function openDatabase(path: string, format: LedgerFormat = LEDGER_FORMAT): OpenLedger {
  const database = openOfFormat(path, { readonly: true, format });
  try {
    return { database, meta: readMeta(database) };
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Opens a ledger that must exist. Throws OperatorError for a missing file or another file, and OtherStoreVersion for a format that
 * this program neither reads nor, as its writer, migrates.
 */
export function openOfFormat(path: string, { readonly, format }: OpenAs): Database.Database {
  const database = openLedgerFile(path, { readonly });
  try {
    assertStoreVersion(path, readonly ? readFormat(format) : format, formatOf(database));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Of a ledger that is migrated. Throws OperatorError where its names have other keys than this program makes. */
function readMeta(database: Database.Database): LedgerMeta {
  const meta = LedgerMeta.parse(database.prepare("SELECT * FROM meta").get());
  assertNameKeys(database.name, meta.name_key_version);
  return meta;
}

/** Opt-outs keep hashes of names as `nameKey` made them. A program that makes others would publish what they forbid. */
function assertNameKeys(path: string, version: number): void {
  if (version !== NAME_KEY_VERSION)
    throw new OperatorError(
      `${path}: the names of this ledger have keys of version ${version}, and this program makes keys of version ${NAME_KEY_VERSION}, with which it would not find its opt-outs: install a version of presence with version ${version} of these keys`,
    );
}

/** Throws OperatorError for a missing file and another file. */
function openLedgerFile(path: string, { readonly }: { readonly readonly: boolean }): Database.Database {
  if (!existsSync(path))
    throw new OperatorError(
      `${path}: there is no ledger: check PRESENCE_HOME, or create one with \`presence init\``,
    );
  try {
    return openDatabaseFile(path, { readonly, kind: LEDGER_KIND });
  } catch (cause) {
    if (!hasErrorCode(cause, "SQLITE_NOTADB")) throw cause;
    throw new OperatorError(`${path}: not a ledger file`, { cause });
  }
}

/** A reader migrates nothing. */
function readFormat(format: LedgerFormat): LedgerFormat {
  if (format.migrations.length === 0) return format;
  return { ...format, oldest: format.version, remedy: "run `presence seal` once, which migrates it" };
}

/** Runs the migrations that the ledger lacks, each wholly or not at all. The caller holds the writer's lock. */
export function migrate(database: Database.Database, { oldest, version, migrations }: LedgerFormat): void {
  for (let format = formatOf(database); format < version; format += 1)
    database
      .transaction(() => {
        migrations[format - oldest]?.(database);
        database.pragma(`user_version = ${format + 1}`);
      })
      .immediate();
}

/** The format that the file says. */
function formatOf(database: Database.Database): number {
  return Number(database.pragma("user_version", { simple: true }));
}

export interface OpenOptions {
  readonly keysDir: string;
  readonly clock: Clock;
  readonly random?: RandomBytes;
  /** Where the signing keys are, if not in files of `keysDir`. */
  readonly signers?: SignerSource;
  /** Opens the file. Tests pass their own, and keep the connection to change the file's content. */
  readonly open?: typeof openOfFormat;
  /** That of this program; tests pass one with migrations. */
  readonly format?: LedgerFormat;
  /** False for a draft that a crash throws away: commits then do not wait for the disk. */
  readonly isDurable?: boolean;
}

export interface WritableLedger extends OpenLedger {
  readonly lock: Lock;
  readonly purposeKey: PurposeKey;
  readonly signers: SignerSource;
}

/** Throws OperatorError for a missing ledger, missing or wrong keys, and a second writer. */
export function openForWriting(path: string, options: OpenOptions): WritableLedger {
  const { open = openOfFormat, format = LEDGER_FORMAT } = options;
  const database = open(path, { readonly: false, format });
  let lock: Lock | undefined;
  try {
    const { keysDir } = options;
    lock = acquireLock(`${path}.lock`, `writing to ${path}`);
    configure(database, options.isDurable ?? true);
    migrate(database, format);
    const meta = readMeta(database);
    const { environment } = meta;
    const signers = options.signers ?? fileSigners(keysDir, environment);
    signers.checkpoint(loadKeyRing(database)); // completes a rotation
    const intake = loadIntakeKey(keysDir, environment);
    if (intake.check !== meta.intake_check)
      throw new OperatorError(
        `${intakeKeyPath(keysDir, environment)}: not the key that ${path} was created with: restore the right one from your backup`,
      );
    return { database, meta, lock, purposeKey: intake.purposeKey, signers };
  } catch (error) {
    database.close();
    lock?.release();
    throw error;
  }
}

/** Moves the log into the file as far as readers allow. One that stays longer than the writer may not write, and would leave all of it there. */
export function settleLog(database: Database.Database): void {
  if (database.inTransaction) return;
  try {
    database.pragma("wal_checkpoint(PASSIVE)");
  } catch {
    // a full disk: the log keeps everything until the next writer
  }
}

function configure(database: Database.Database, isDurable: boolean): void {
  database.pragma(`synchronous = ${isDurable ? "FULL" : "OFF"}`); // FULL: a committed batch survives a power cut
  database.pragma("secure_delete = ON"); // redacted values are overwritten, not only unlinked
  database.pragma("cache_size = -65536"); // 64 MB
  database.pragma("wal_autocheckpoint = 4000"); // 64 MB of log between two copies into the file
}

export interface NewLedger {
  readonly environment: Environment;
  readonly origin: string; // schema-less URL that names the log permanently, for example `example.org/presence`
  readonly keysDir: string;
  readonly clock: Clock;
  readonly random?: RandomBytes;
}

/**
 * Makes an empty ledger, and its keys where they are missing. The file appears whole or not at all.
 * Throws OperatorError when there is one already, or when the keys belong to another log.
 */
export function createLedger(path: string, options: NewLedger): void {
  const { environment, origin, keysDir, clock, random = systemRandom } = options;
  if (existsSync(path)) throw ledgerExists(path);
  if (!isKeyName(origin))
    throw new OperatorError(
      `origin ${JSON.stringify(origin)}: expected a schema-less URL without spaces and plus signs`,
    );
  createKeys(keysDir, environment, origin, random);
  const signer = readSigner(signingKeyPath(keysDir, environment));
  const intake = loadIntakeKey(keysDir, environment);
  if (signer.name !== origin)
    throw new OperatorError(
      `${signingKeyPath(keysDir, environment)}: this key signs for ${signer.name}, not for ${origin}: use that origin, or another folder for keys`,
    );
  createHead(keysDir, environment, signer);

  mkdirSync(dirname(path), { recursive: true });
  const building = `${path}.new`;
  for (const leftover of [building, `${building}-wal`, `${building}-shm`]) rmSync(leftover, { force: true });
  reserveSecret(building);
  const database = new Database(building);
  database.pragma(`page_size = ${PAGE_SIZE}`);
  database.pragma("journal_mode = WAL");
  for (const { create, indexes } of LEDGER_TABLES)
    for (const statement of [create, ...indexes]) database.exec(statement);
  const checks = { intake_check: intake.check, name_key_version: NAME_KEY_VERSION };
  insertMeta(database, { environment, origin, vkey: signer.vkey, ...checks }, clock());
  insertFirstKey(database, signer);
  const manifestKey = readSigner(manifestKeyPath(keysDir, environment));
  putManifestKey(database, endorsed({ ...manifestKey, createdAt: clock() }, signer));
  database.pragma(`application_id = ${APPLICATION_ID}`);
  database.pragma(`user_version = ${LEDGER_FORMAT.version}`);
  database.close();
  try {
    moveWithoutReplacing(building, path);
  } catch (error) {
    throw hasErrorCode(error, "EEXIST") ? ledgerExists(path) : error;
  }
}

function ledgerExists(path: string): OperatorError {
  return new OperatorError(`${path}: a ledger already exists, and is never overwritten`);
}

const MAX_PROBLEMS = 5;

/** Problems that SQLite finds in the file, a few words each; empty for a sound file. Reads the whole file once. */
export function ledgerDamage(path: string): string[] {
  const { database } = openDatabase(path);
  try {
    const problems = database.prepare<[], string>(`PRAGMA quick_check(${MAX_PROBLEMS})`).pluck().all();
    return problems.filter((line) => line !== "ok");
  } finally {
    database.close();
  }
}
