/** What a deletion leaves behind in SQLite's files, and how it goes. */

import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Store } from "./store.ts";

const TRIES = 50;
const PAUSE_MS = 40;

/**
 * Moves the write-ahead log into the database and empties it: until then it holds every page as it was before the last changes,
 * with what they deleted. False while another process reads from it for two seconds on end; the next cut then takes it along.
 * PostgreSQL has no such file of ours: true.
 */
export async function cutLog({ db, engine }: Pick<Store, "db" | "engine">): Promise<boolean> {
  if (engine === "postgres") return true;
  for (let tried = 0; tried < TRIES; tried += 1) {
    if (tried > 0) await sleep(PAUSE_MS);
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
    if (rows[0]?.busy === 0) return true;
  }
  return false;
}
