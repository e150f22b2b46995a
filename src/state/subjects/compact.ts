/** The end of an erasure: no page of the database keeps what was deleted from it. */

import { sql } from "kysely";

import { cutLog, type Store } from "../store.ts";
import { SEARCHED } from "./mentions.ts";

/**
 * SQLite overwrites what is deleted (`secure_delete`), but not what it only moved within a page: the file is written anew, and the write-ahead
 * log is emptied. PostgreSQL keeps deleted rows until a table is written anew, which `VACUUM FULL` does; its own log and what was archived of
 * it are the operator's. Writers wait meanwhile. False when another process kept SQLite from emptying its log.
 */
export async function compact(store: Pick<Store, "db" | "engine">): Promise<boolean> {
  if (store.engine === "sqlite") {
    await cutLog(store);
    await sql`vacuum`.execute(store.db);
    return cutLog(store);
  }
  for (const { name } of SEARCHED) await sql`vacuum (full) ${sql.table(name)}`.execute(store.db);
  return true;
}
