import type Database from "better-sqlite3";
import { provedLeaf, withoutGaps } from "./stored-rows.ts";

/** A row as the tree has it. */
export interface LeafRow {
  readonly id: number;
  readonly entry: Buffer; // the leaf's text
  readonly leafHash: Buffer;
}

type StoredLeaf = [id: number, kind: string, digests: Buffer, leafHash: Buffer];

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
  for (const [id, kind, digests, leafHash] of withoutGaps(chunk, after, upTo)) {
    const { leaf } = provedLeaf(id, kind, digests, leafHash);
    yield { id, entry: Buffer.from(leaf, "latin1"), leafHash };
  }
}
