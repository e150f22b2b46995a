import type Database from "better-sqlite3";
import type { LedgerFormat } from "./format.ts";

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
export function formatOf(database: Database.Database): number {
  return Number(database.pragma("user_version", { simple: true }));
}
