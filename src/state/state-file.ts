import { existsSync } from "node:fs";
import type Database from "better-sqlite3";
import { type DatabaseKind, openDatabaseFile } from "../kernel/database-file.ts";
import { stateFormat } from "./migrate.ts";
import { damageOf } from "./state-lost.ts";

/** The application id is "PPST". */
export const STATE_KIND: DatabaseKind = {
  applicationId: 0x50505354,
  name: "a state database",
  of1x: { applicationId: 0, table: "kysely_migration", format: stateFormat("sqlite") },
};

/** Facts about a `state.db`, read without opening the state. */
export interface StateFile {
  /** The format of its tables: see format.ts. */
  readonly version: number;
  /** Identifies the key it belongs to (state-key.ts). */
  readonly keyCheck: string;
}

const MAX_PROBLEMS = 5;

/** Problems that SQLite finds in the file, a few words each; empty for a sound file. Throws OperatorError for what is no state at all. `isFull`: compares the indexes, too. */
export function stateDamage(path: string, isFull = false): string[] {
  const check = isFull ? "integrity_check" : "quick_check";
  let database: Database.Database | undefined;
  try {
    database = openDatabaseFile(path, { readonly: true, kind: STATE_KIND });
    const problems = database.prepare<[], string>(`PRAGMA ${check}(${MAX_PROBLEMS})`).pluck().all();
    return problems.filter((line) => line !== "ok");
  } catch (error) {
    const damage = damageOf(error, path);
    if (damage === undefined) throw error;
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    database?.close();
  }
}

/** Undefined when there is none, or when it is being made just now. Nothing is brought up to date. */
export function readStateFile(path: string): StateFile | undefined {
  if (!existsSync(path)) return undefined;
  const database = openDatabaseFile(path, { readonly: true, kind: STATE_KIND });
  try {
    const store = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'store'").get();
    if (store === undefined) return undefined;
    return database.prepare<[], StateFile>("SELECT version, key_check AS keyCheck FROM store").get();
  } finally {
    database.close();
  }
}
