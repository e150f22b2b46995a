import type Database from "better-sqlite3";
import { SealBody } from "./rows.ts";

export interface Seal {
  readonly row: number;
  readonly body: SealBody;
}

/** The seal rows up to `upTo`, the earliest first. */
export function seals(database: Database.Database, upTo: number): Seal[] {
  return select(database, "AND id <= ? ORDER BY id").all(upTo).map(parsed);
}

export function lastSeal(database: Database.Database): Seal | undefined {
  const found = select(database, "ORDER BY id DESC LIMIT 1").get();
  return found && parsed(found);
}

interface StoredSeal {
  readonly row: number;
  readonly body: string;
}

function select(database: Database.Database, tail: string): Database.Statement<unknown[], StoredSeal> {
  return database.prepare<unknown[], StoredSeal>(
    `SELECT row, body FROM rows JOIN openings ON row = id WHERE kind = 'seal' ${tail}`,
  );
}

function parsed({ row, body }: StoredSeal): Seal {
  return { row, body: SealBody.parse(JSON.parse(body)) };
}
