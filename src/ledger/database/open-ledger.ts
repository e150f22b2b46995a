import { existsSync } from "node:fs";
import type Database from "better-sqlite3";
import { z } from "zod";
import { Environment } from "../../contract/enums.ts";
import { openDatabaseFile } from "../../kernel/database-file.ts";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import type { RandomBytes } from "../../kernel/ids.ts";
import { assertStoreVersion } from "../../kernel/store-version.ts";
import { NAME_KEY_VERSION } from "../../kernel/text/name-key.ts";
import type { Clock } from "../../kernel/time.ts";
import { loadKeyRing } from "../keys/key-tables.ts";
import {
  fileSigners,
  intakeKeyPath,
  loadIntakeKey,
  type PurposeKey,
  type SignerSource,
} from "../keys/keys.ts";
import { LEDGER_FORMAT, LEDGER_KIND, type LedgerFormat } from "./format.ts";
import { acquireLock, type Lock } from "./lock.ts";

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
