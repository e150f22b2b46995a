import type Database from "better-sqlite3";
import { leafHash } from "../kernel/merkle-hash.ts";
import { digestTexts, leafText } from "./digests.ts";
import { changedRow } from "./stored-rows.ts";

/** A row as the tree has it. */
export interface LeafRow {
  readonly id: number;
  readonly entry: Buffer; // the leaf's text
  readonly leafHash: Buffer;
}

type StoredLeaf = [id: number, kind: string, digests: Buffer, leafHash: Buffer];

const CHUNK = 4000;

/**
 * The leaves of the rows after `after` up to `upTo`, in order, without what the rows say: a quarter of the file. Throws
 * OperatorError naming a row that is missing, or whose digests do not have its leaf hash.
 */
export function* leafRows(database: Database.Database, after: number, upTo: number): Generator<LeafRow> {
  const chunk = database
    .prepare<[number, number, number], StoredLeaf>(
      "SELECT id, kind, digests, leaf_hash FROM rows WHERE id > ? AND id <= ? ORDER BY id LIMIT ?",
    )
    .raw();
  for (let last = after; last < upTo; ) {
    const rows = chunk.all(last, upTo, CHUNK);
    if (rows.length === 0) throw changedRow(last + 1, "it is missing");
    for (const [id, kind, digests, hash] of rows) {
      if (id !== last + 1) throw changedRow(last + 1, "it is missing");
      const entry = Buffer.from(leafText(id, kind, digestTexts(digests)), "latin1");
      if (!leafHash(entry).equals(hash)) throw changedRow(id, "its leaf hash does not fit its digests");
      yield { id, entry, leafHash: hash };
      last = id;
    }
  }
}
