import type Database from "better-sqlite3";
import { parseVkey } from "../keys/note.ts";
import { insertFirstKey } from "../keys/signing-keys.ts";
import type { LedgerMeta } from "./meta.ts";
import { FORMAT_2_SQL, FORMAT_VERSION } from "./schema.ts";

/** Brings a ledger of an earlier format to this program's, wholly or not at all. The caller holds the writer's lock. */
export function migrate(database: Database.Database, meta: LedgerMeta): void {
  const format = database.pragma("user_version", { simple: true });
  if (format === FORMAT_VERSION) return;
  database
    .transaction(() => {
      if (format === 1) toFormat2(database, meta);
      database.pragma(`user_version = ${FORMAT_VERSION}`);
    })
    .immediate();
}

function toFormat2(database: Database.Database, meta: LedgerMeta): void {
  database.exec("DROP TABLE external_proofs"); // nothing was ever written to it
  database.exec(FORMAT_2_SQL);
  insertFirstKey(database, parseVkey(meta.vkey));
}
