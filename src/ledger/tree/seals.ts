import type Database from "better-sqlite3";
import { INDEXED_KINDS } from "../database/tables.ts";
import { SealBody } from "../rows/rows.ts";

export interface Seal {
  readonly row: number;
  readonly body: SealBody;
}

/** The seal rows up to `upTo`, the earliest first. */
export function seals(database: Database.Database, upTo: number): Seal[] {
  return select(database, "AND id <= ? ORDER BY id").all(upTo).map(parsed);
}

export function lastSeal(database: Database.Database): Seal | undefined {
  const stored = select(database, "ORDER BY id DESC LIMIT 1").get();
  return stored && parsed(stored);
}

/**
 * The last row that a seal covers, or the tree's last when nothing but the seals' own rows comes after it. With a seal that
 * leaves today open, the open rows lie in the tree and are not published (design 5).
 */
export function lastSealedRow(seals: readonly Seal[], treeSize: number): number {
  const covered = seals.at(-1)?.body.last_observation_id ?? 0;
  const own = seals.filter(({ row }) => row > covered).length;
  return covered + own === treeSize ? treeSize : covered;
}

interface StoredSeal {
  readonly row: number;
  readonly body: string;
}

function select(database: Database.Database, tail: string): Database.Statement<unknown[], StoredSeal> {
  return database.prepare<unknown[], StoredSeal>(
    `SELECT row, body FROM rows JOIN openings ON row = id WHERE ${INDEXED_KINDS} AND kind = 'seal' ${tail}`,
  );
}

function parsed({ row, body }: StoredSeal): Seal {
  return { row, body: SealBody.parse(JSON.parse(body)) };
}
