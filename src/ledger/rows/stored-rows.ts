import type Database from "better-sqlite3";
import { OperatorError } from "../../kernel/errors.ts";
import { leafHash } from "../../kernel/hash.ts";
import { INDEXED_KINDS } from "../database/tables.ts";
import { BODY_NAME, claimDisclosure, digestTexts, disclosureDigest, leafText } from "./digests.ts";
import { redactions } from "./redactions.ts";

/**
 * The order of times in the ledger. Rows follow each other by time of acceptance, with two exceptions: an erasure does not wait for
 * the lines of the days before it, so its rows, and the seals, may be newer than rows that come after them; and a row that corrects
 * the clock begins the order anew (see `ClockBody`).
 */

/** How far an order has come: times in ms. */
export interface OrderState {
  readonly last: number; // of the newest row that others must not precede
  readonly erasure: number | undefined; // of the erasure whose rows are being read
}

/** Checks the times of rows that come in order. */
export class TimeOrder {
  #last: number;
  #erasure: number | undefined;

  constructor({ last, erasure }: OrderState = { last: 0, erasure: undefined }) {
    this.#last = last;
    this.#erasure = erasure;
  }

  get state(): OrderState {
    return { last: this.#last, erasure: this.#erasure };
  }

  /** Whether a row of that kind and time (ms) may come next. */
  admits(kind: string, acceptedAt: number): boolean {
    if (acceptedAt < this.#last && kind !== "clock") return false;
    if (kind === "redaction") this.#erasure = acceptedAt;
    else if (kind === "seal") this.#erasure = undefined;
    // Rows that replace erased ones follow in the same transaction.
    else if (acceptedAt !== this.#erasure) {
      this.#erasure = undefined;
      this.#last = acceptedAt;
    }
    return true;
  }
}

const LAST_CORRECTION = "coalesce((SELECT max(id) FROM rows WHERE kind = 'clock'), 0)";

/** The last row's id, and the time of the newest row in ms. */
export function newestRow(database: Database.Database): { readonly id: number; readonly acceptedAt: number } {
  const newest = database.prepare<[], { id: number; acceptedAt: number }>(
    `SELECT max(id) AS id, max(accepted_at) AS acceptedAt FROM (
       SELECT * FROM (SELECT id, accepted_at FROM rows ORDER BY id DESC LIMIT 1)
       UNION ALL
       SELECT id, accepted_at FROM rows WHERE ${INDEXED_KINDS} AND id > ${LAST_CORRECTION})
     HAVING count(*) > 0`,
  );
  return newest.get() ?? { id: 0, acceptedAt: 0 };
}

/** The time, in ms, of the newest row up to `lastRow` that later rows must not precede; 0 when there is none. */
export function lastInOrder(database: Database.Database, lastRow: number): number {
  const last = database.prepare<[number], number>(
    `SELECT accepted_at FROM rows AS later
     WHERE id <= ? AND kind NOT IN ('seal', 'redaction') AND NOT EXISTS (
       SELECT 1 FROM rows AS erasure WHERE ${INDEXED_KINDS} AND kind = 'redaction'
         AND accepted_at = later.accepted_at AND id < later.id
         AND NOT EXISTS (SELECT 1 FROM rows AS own WHERE ${INDEXED_KINDS} AND kind = 'seal'
           AND own.id > erasure.id AND own.id < later.id))
     ORDER BY id DESC LIMIT 1`,
  );
  return last.pluck().get(lastRow) ?? 0;
}

/** Rows as they lie in the file, and the checks that one row allows by itself. */

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
function* withoutGaps<Row extends [id: number, ...rest: unknown[]]>(
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
function provedLeaf(
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

/** The public content of a row. */
export interface PublicRow {
  readonly id: number;
  readonly disclosure: string | undefined; // undefined while no seal covers the row, and for good once it is redacted
}

/** Kinds disclosed as soon as a tree holds them: readers need them to understand ranges, gaps and dates. */
const DISCLOSED_AT_ONCE: ReadonlySet<string> = new Set(["seal", "redaction", "clock"]);

/** Whether the body of a live row must be published in a tree whose seals cover the rows up to `sealed`. */
export function isDisclosed(row: number, kind: string, sealed: number): boolean {
  return row <= sealed || DISCLOSED_AT_ONCE.has(kind);
}

/** The rows after `after` up to `upTo`, each proved (see `provedDisclosure`). */
export function* publicRows(
  database: Database.Database,
  range: { readonly after: number; readonly upTo: number; readonly sealed: number },
): Generator<PublicRow> {
  for (const row of rowsInOrder(database, range.after, range.upTo)) {
    const [id, kind] = row;
    const disclosure = provedDisclosure(row);
    yield { id, disclosure: isDisclosed(id, kind, range.sealed) ? disclosure : undefined };
  }
}

/** Rows that were redacted by rows after `after`. */
export function rowsRedactedAfter(database: Database.Database, after: number): number[] {
  return redactions(database).flatMap(({ id, rows }) => (id > after ? rows : []));
}
