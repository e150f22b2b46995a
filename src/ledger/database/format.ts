import type Database from "better-sqlite3";
import type { DatabaseKind } from "../../kernel/database-file.ts";
import type { StoreFormat } from "../../kernel/store-version.ts";
import { APPLICATION_ID, APPLICATION_ID_OF_1X } from "./tables.ts";

/** Brings a ledger from one format to the next, within a transaction. */
export type Migration = (database: Database.Database) => void;

export interface LedgerFormat extends StoreFormat {
  /** One for each format from `oldest` on, in order; the last one leads to `version`. */
  readonly migrations: readonly Migration[];
}

/** Raised when a version writes what the version before would misread. A rise without a migration empties the list. */
const FORMAT_VERSION = 2;
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
    remedy: "go on with the version that wrote it, or begin anew in an empty PRESENCE_HOME",
    migrations,
  };
}
