import { existsSync } from "node:fs";
import type Database from "better-sqlite3";
import { z } from "zod";
import { Environment } from "../../contract/enums.ts";
import { openDatabaseFile } from "../../kernel/database-file.ts";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { FORMAT_VERSION, LEDGER_KIND, READABLE_FORMAT } from "./schema.ts";

/** What is fixed when a ledger is created. */
const LedgerMeta = z.object({
  environment: Environment,
  origin: z.string(),
  vkey: z.string(),
  intake_check: z.string(),
});
export type LedgerMeta = z.infer<typeof LedgerMeta>;

export interface OpenLedger {
  readonly database: Database.Database;
  readonly meta: LedgerMeta;
}

/**
 * Opens a ledger that must exist. The writer migrates a ledger of an earlier format; one of format 1 is opened by it alone.
 * Throws OperatorError for a missing file, another file, or another format version.
 */
export function openDatabase(path: string, options: { readonly: boolean }): OpenLedger {
  const database = openLedgerFile(path, options);
  try {
    assertFormat(database, path, options);
    return { database, meta: LedgerMeta.parse(database.prepare("SELECT * FROM meta").get()) };
  } catch (error) {
    database.close();
    throw error;
  }
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

function assertFormat(database: Database.Database, path: string, options: { readonly: boolean }): void {
  const version = z.int().parse(database.pragma("user_version", { simple: true }));
  if (version > FORMAT_VERSION || version < 1)
    throw new OperatorError(
      `${path}: ledger format ${version}, but this program reads formats up to ${FORMAT_VERSION}: a newer version used the ledger; run that one`,
    );
  if (options.readonly && version < READABLE_FORMAT)
    throw new OperatorError(
      `${path}: ledger format ${version} of an earlier version: run \`presence seal\` once, which brings it to format ${FORMAT_VERSION}`,
    );
}
