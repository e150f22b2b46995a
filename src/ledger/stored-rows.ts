import type Database from "better-sqlite3";
import { OperatorError } from "../kernel/errors.ts";
import { leafHash } from "../kernel/merkle-hash.ts";
import { BODY_NAME, claimDigest, digestTexts, leafText } from "./digests.ts";

/** Rows as they lie in the file, and the checks that one row allows by itself. */

/** id, kind, accepted_at, digests, leaf_hash, salts, body; the last two are null once the row is redacted. */
export type StoredRow = [number, string, number, Buffer, Buffer, Buffer | null, string | null];

const CHUNK = 2000;

/**
 * The rows after `after` up to `upTo`, in order, each checked. Throws OperatorError naming the row whose id, time, body,
 * digests or leaf hash do not fit together, or that is missing.
 */
export function* storedRows(database: Database.Database, after: number, upTo: number): Generator<StoredRow> {
  // Chunks, not one iterator: an open iterator would block every other use of the connection.
  const chunk = database
    .prepare<[number, number, number], StoredRow>(
      `SELECT r.id, r.kind, r.accepted_at, r.digests, r.leaf_hash, o.salts, o.body
       FROM rows r LEFT JOIN openings o ON o.row = r.id
       WHERE r.id > ? AND r.id <= ? ORDER BY r.id LIMIT ?`,
    )
    .raw();
  let last = after;
  let lastAcceptedAt = 0;
  while (last < upTo) {
    const rows = chunk.all(last, upTo, CHUNK);
    if (rows.length === 0) throw changedRow(last + 1, "it is missing");
    for (const row of rows) {
      if (row[0] !== last + 1) throw changedRow(last + 1, "it is missing");
      if (row[2] < lastAcceptedAt) throw changedRow(row[0], "it was accepted before the row above it");
      assertIntact(row);
      last = row[0];
      lastAcceptedAt = row[2];
      yield row;
    }
  }
}

export function changedRow(id: number, problem: string): OperatorError {
  return new OperatorError(`row ${id}: ${problem}: the ledger was changed; restore it from your backup`);
}

function assertIntact([id, kind, , digests, leaf, salts, body]: StoredRow): void {
  const texts = digestTexts(digests);
  if (!leafHash(leafText(id, kind, texts)).equals(leaf))
    throw changedRow(id, "its leaf hash does not fit its digests");
  if (body === null || salts === null) return;
  if (!texts.includes(claimDigest(salts, 0, { name: BODY_NAME, json: body })))
    throw changedRow(id, "its body or salt does not fit its digests");
}
