/** Rows as they lie in the file, and the checks that one row allows by itself. */
import type Database from "better-sqlite3";
import { OperatorError } from "../../kernel/errors.ts";
import { leafHash } from "../../kernel/merkle-hash.ts";
import { BODY_NAME, claimDisclosure, digestTexts, disclosureDigest, leafText } from "./digests.ts";
import { TimeOrder } from "./row-times.ts";

/** id, kind, accepted_at, digests, leaf_hash, salts, body; the last two are null once the row is redacted. */
export type StoredRow = [number, string, number, Buffer, Buffer, Buffer | null, string | null];

const CHUNK = 2000;

/** The same, each proved (see `provedDisclosure`). */
export function* storedRows(database: Database.Database, after: number, upTo: number): Generator<StoredRow> {
  for (const row of rowsInOrder(database, after, upTo)) {
    provedDisclosure(row);
    yield row;
  }
}

/** The rows after `after` up to `upTo`, in order. Throws OperatorError naming a row that is missing or out of time. */
export function* rowsInOrder(database: Database.Database, after: number, upTo: number): Generator<StoredRow> {
  const order = new TimeOrder();
  for (const row of everyRow(database, after, upTo)) {
    assertInTime(order, row[0], row[1], row[2]);
    yield row;
  }
}

export function assertInTime(order: TimeOrder, id: number, kind: string, acceptedAt: number): void {
  if (!order.admits(kind, acceptedAt)) throw changedRow(id, "it was accepted before the row above it");
}

/** The rows after `after` up to `upTo`. Throws OperatorError naming a row that is missing. */
export function everyRow(database: Database.Database, after: number, upTo: number): Generator<StoredRow> {
  const chunk = database
    .prepare<[number, number, number], StoredRow>(
      `SELECT r.id, r.kind, r.accepted_at, r.digests, r.leaf_hash, o.salts, o.body
       FROM rows r LEFT JOIN openings o ON o.row = r.id
       WHERE r.id > ? AND r.id <= ? ORDER BY r.id LIMIT ?`,
    )
    .raw();
  return withoutGaps(chunk, after, upTo);
}

/**
 * What a statement (after, up to, at most) gives of the rows, each with its id first. Chunks, not one iterator: an open iterator
 * would block every other use of the connection. Throws OperatorError naming a row that is missing.
 */
export function* withoutGaps<Row extends [id: number, ...rest: unknown[]]>(
  chunk: Database.Statement<[number, number, number], Row>,
  after: number,
  upTo: number,
): Generator<Row> {
  let last = after;
  while (last < upTo) {
    const rows = chunk.all(last, upTo, CHUNK);
    if (rows.length === 0) throw changedRow(last + 1, "it is missing");
    for (const row of rows) {
      if (row[0] !== last + 1) throw changedRow(last + 1, "it is missing");
      last = row[0];
      yield row;
    }
  }
}

export function changedRow(id: number, problem: string): OperatorError {
  return new OperatorError(`row ${id}: ${problem}: the ledger was changed; restore it from your backup`);
}

/** The leaf and its digests as texts. Throws OperatorError naming the row whose leaf hash is not theirs. */
export function provedLeaf(
  id: number,
  kind: string,
  digests: Buffer,
  hash: Buffer,
): { leaf: string; texts: readonly string[] } {
  const texts = digestTexts(digests);
  const leaf = leafText(id, kind, texts);
  if (!leafHash(leaf).equals(hash)) throw changedRow(id, "its leaf hash does not fit its digests");
  return { leaf, texts };
}

/**
 * The disclosure of the row's body, proved by its leaf hash; undefined once it is redacted. Throws OperatorError naming the row
 * whose body, salt, digests or leaf hash do not fit together.
 */
export function provedDisclosure([id, kind, , digests, hash, salts, body]: StoredRow): string | undefined {
  const { texts } = provedLeaf(id, kind, digests, hash);
  if (body === null || salts === null) return undefined;
  const opened = claimDisclosure(salts, 0, { name: BODY_NAME, json: body });
  if (!texts.includes(disclosureDigest(opened)))
    throw changedRow(id, "its body or salt does not fit its digests");
  return opened;
}
