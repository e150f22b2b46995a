/**
 * The generation of a state database: a random number in the header of its file (`user_version`). A restore and a backup give their copies another
 * one, so a process that has the file open notices a copy that was written over it.
 */

import type Database from "better-sqlite3";
import { openDatabaseFile } from "../kernel/database-file.ts";
import { systemRandom } from "../kernel/ids.ts";
import { STATE_KIND } from "./state-file.ts";

/** The generation; a database without one gets it. */
export function ensureGeneration(database: Database.Database): number {
  const known = generationOf(database);
  if (known !== 0) return known;
  database
    .transaction(() => {
      if (generationOf(database) === 0) setGeneration(database);
    })
    .immediate();
  database.pragma("wal_checkpoint(TRUNCATE)"); // the file itself tells it from now on
  return generationOf(database);
}

/** Gives a copy, which nobody has open, another generation. */
export function renewGeneration(path: string): void {
  const database = openDatabaseFile(path, { kind: STATE_KIND });
  try {
    setGeneration(database);
    database.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
}

function generationOf(database: Database.Database): number {
  return Number(database.pragma("user_version", { simple: true }));
}

/** Below 2^31; zero stands for none. Never from a seed: no two copies may get the same one. */
function setGeneration(database: Database.Database): void {
  database.pragma(`user_version = ${systemRandom(4).readUInt32BE() >>> 1 || 1}`);
}
