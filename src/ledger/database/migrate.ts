import type Database from "better-sqlite3";
import { parseVkey } from "../keys/note.ts";
import { insertFirstKey } from "../keys/signing-keys.ts";
import type { LedgerMeta } from "./meta.ts";
import { FORMAT_2_SQL, FORMAT_VERSION } from "./schema.ts";

/** Brings a ledger of format 1 to this program's format, wholly or not at all. The caller holds the writer's lock. */
export function migrate(database: Database.Database, meta: LedgerMeta): void {
  if (database.pragma("user_version", { simple: true }) === FORMAT_VERSION) return;
  database
    .transaction(() => {
      database.exec("DROP TABLE external_proofs"); // nothing was ever written to it
      database.exec(FORMAT_2_SQL);
      insertFirstKey(database, parseVkey(meta.vkey));
      database.pragma(`user_version = ${FORMAT_VERSION}`);
    })
    .immediate();
}
