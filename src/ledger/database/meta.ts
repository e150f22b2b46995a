import { existsSync } from "node:fs";
import type Database from "better-sqlite3";
import { z } from "zod";
import { Environment } from "../../contract/enums.ts";
import { openDatabaseFile } from "../../kernel/database-file.ts";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { assertStoreVersion } from "../../kernel/store-version.ts";
import { NAME_KEY_VERSION } from "../../kernel/text/name-key.ts";
import { LEDGER_FORMAT, LEDGER_KIND, type LedgerFormat } from "./format.ts";
import { formatOf } from "./migrate.ts";

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

interface OpenOptions {
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
export function openOfFormat(path: string, { readonly, format }: OpenOptions): Database.Database {
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
export function readMeta(database: Database.Database): LedgerMeta {
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
export function openLedgerFile(
  path: string,
  { readonly }: { readonly readonly: boolean },
): Database.Database {
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
