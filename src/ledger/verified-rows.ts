import type Database from "better-sqlite3";
import { OperatorError } from "../kernel/errors.ts";
import { privateClaims } from "./disclose.ts";
import { BODY_NAME, claimDigest, digestTexts } from "./rows/digests.ts";
import { type Redaction, redactedRows, redactions } from "./rows/redactions.ts";
import { isRowKind, type LedgerRow, type RowKind } from "./rows/rows.ts";
import {
  assertInTime,
  changedRow,
  everyRow,
  type OrderState,
  provedDisclosure,
  type StoredRow,
  TimeOrder,
} from "./rows/stored-rows.ts";
import type { Checkpoint, Checkpoints } from "./tree/checkpoints.ts";
import { Frontier } from "./tree/merkle.ts";

interface Ends {
  readonly after: number | ChainEdge; // the size of a checkpoint, or zero; or where another chain has come to
  readonly upTo: number; // the size of a checkpoint, or zero
}

/** How far a chain has come. */
export interface ChainEdge {
  readonly size: number;
  readonly peaks: Uint8Array; // of the tree (see `Frontier`)
  readonly order: OrderState;
}

/** What the rows of a span prove together: their times, and the roots of the signed checkpoints on the way. Takes rows in order. */
export class RowChain {
  readonly #order: TimeOrder;
  readonly #tree: Frontier;
  readonly #signed: Checkpoint[];
  #proved: number;

  /** Throws OperatorError when no checkpoint has the size `upTo`. */
  constructor(checkpoints: Checkpoints, { after, upTo }: Ends) {
    const edge = typeof after === "number" ? edgeAt(checkpoints, after) : after;
    this.#signed = checkpoints.list().filter(({ size }) => size > edge.size && size <= upTo);
    if (upTo > edge.size && this.#signed.at(-1)?.size !== upTo)
      throw new OperatorError(`there is no signed checkpoint of ${upTo} rows: run \`presence seal\` first`);
    this.#order = new TimeOrder(edge.order);
    this.#tree = Frontier.fromBytes(edge.size, Buffer.from(edge.peaks));
    this.#proved = edge.size;
  }

  edge(): ChainEdge {
    return { size: this.#tree.size, peaks: this.#tree.toBytes(), order: this.#order.state };
  }

  /** Throws OperatorError when the next row is out of time. */
  admit(id: number, kind: string, acceptedAt: number): void {
    assertInTime(this.#order, id, kind, acceptedAt);
  }

  push(leafHash: Buffer): void {
    this.#tree.push(leafHash);
  }

  /** Throws OperatorError naming the rows since the checkpoint before when they do not lead to the signed root. */
  assertRoot(): void {
    const { size } = this.#tree;
    const checkpoint = this.#signed[0];
    if (size !== checkpoint?.size) return;
    if (!this.#tree.root().equals(checkpoint.root))
      throw new OperatorError(
        `row ${this.#proved + 1} to ${size}: one of them is not the row that was signed: the ledger was changed; restore it from your backup`,
      );
    this.#proved = size;
    this.#signed.shift();
  }
}

/** Rows after a checkpoint begin the order of times anew. */
function edgeAt(checkpoints: Checkpoints, size: number): ChainEdge {
  const peaks = checkpoints.at(size)?.frontier;
  const order = { last: 0, erasure: undefined };
  return peaks === undefined ? { size: 0, peaks: Buffer.alloc(0), order } : { size, peaks, order };
}

/** Which rows are read, and from which row on a redaction does not count yet. */
interface Span {
  readonly after: number; // the size of a checkpoint, or zero
  readonly upTo: number; // the size of a checkpoint, or zero
  readonly redactedUpTo: number;
}

/**
 * The first `upTo` rows in order, each proved: its body and salt give one of its digests, its digests its leaf hash, and all
 * leaf hashes the roots of the signed checkpoints on the way. A caller that stops early has proved nothing: the last rows
 * stand only when the generator has ended. A row without values must be named by a redaction within `upTo`.
 * Throws OperatorError naming the row, or the rows between two checkpoints when only the root tells.
 */
export function* verifiedRows(
  database: Database.Database,
  checkpoints: Checkpoints,
  upTo: number,
): Generator<LedgerRow> {
  // One read transaction: a redaction that commits during the read must not look like an omission.
  const owned = !database.inTransaction;
  if (owned) database.exec("BEGIN");
  try {
    yield* provedRows(database, checkpoints, { after: 0, upTo, redactedUpTo: upTo });
  } finally {
    if (owned) database.exec("COMMIT");
  }
}

/** The rows of a span, each proved as `verifiedRows` says. The caller keeps one read transaction. */
export function* provedRows(
  database: Database.Database,
  checkpoints: Checkpoints,
  { after, upTo, redactedUpTo }: Span,
): Generator<LedgerRow> {
  const chain = new RowChain(checkpoints, { after, upTo });
  const openings = new Openings(database, redactedUpTo);
  for (const stored of everyRow(database, after, upTo)) {
    const [id, kind, acceptedAt, , leafHash, , body] = stored;
    chain.admit(id, kind, acceptedAt);
    openings.prove(stored);
    chain.push(leafHash);
    // `append` has validated the body, and the digest proves that it is still that text.
    const proved = body === null ? undefined : JSON.parse(body);
    yield { id, kind: knownKind(id, kind), acceptedAt, body: proved, leafHash };
    chain.assertRoot();
  }
}

/** What each row proves by itself. */
export class Openings {
  /** Read ahead: the redactions themselves are proved when the stream comes to them. */
  readonly #redactedBy: ReadonlyMap<number, Redaction>;
  readonly #redactedUpTo: number;

  constructor(database: Database.Database, redactedUpTo: number) {
    this.#redactedBy = redactedRows(redactions(database));
    this.#redactedUpTo = redactedUpTo;
  }

  /** Throws OperatorError naming the row whose parts do not fit together, or whose values are missing without a reason. */
  prove(stored: StoredRow): void {
    provedDisclosure(stored);
    assertOpening(stored, this.#redactedBy.get(stored[0])?.id, this.#redactedUpTo);
  }
}

function assertOpening([id, , , , , , body]: StoredRow, redactedBy: number | undefined, upTo: number): void {
  if (body !== null && redactedBy !== undefined)
    throw new OperatorError(
      `row ${id}: redacted by row ${redactedBy}, but its values are still there: redact it again`,
    );
  if (body !== null) return;
  if (redactedBy === undefined)
    throw changedRow(id, "silent omission, its values are gone and no redaction names it");
  if (redactedBy > upTo) throw redactedLater(id, redactedBy);
}

function redactedLater(id: number, redactedBy: number): OperatorError {
  return new OperatorError(
    `row ${id}: redacted later, by row ${redactedBy}: only a release of at least ${redactedBy} rows can be built`,
  );
}

/** The redacted rows up to `upTo`. Throws OperatorError naming one that only a row after the tree of `treeSize` redacts. */
export function erasedRows(
  database: Database.Database,
  { upTo, treeSize }: { readonly upTo: number; readonly treeSize: number },
): Set<number> {
  const erased = new Set<number>();
  for (const [row, { id }] of redactedRows(redactions(database))) {
    if (row > upTo) continue;
    if (id > treeSize) throw redactedLater(row, id);
    erased.add(row);
  }
  return erased;
}

/** Throws OperatorError naming the row when it is of another kind than this program knows. */
export function knownKind(id: number, kind: string): RowKind {
  if (isRowKind(kind)) return kind;
  throw new OperatorError(`row ${id}: of the unknown kind ${kind}: a newer program wrote this ledger`);
}

/** A share of the rows to check. */
export interface Share {
  readonly after: number; // the size of a checkpoint; any other number stands for zero
  readonly rows: number; // at least as many, then up to the next checkpoint
  /** Whether it has taken long enough: then it ends at the next checkpoint. */
  readonly isLate: () => boolean;
  readonly progress?: (row: number, total: number) => void;
}

type PrivateRow = [row: number, digests: Buffer, salts: Buffer, json: string];

const PROGRESS_ROWS = 1000;

/**
 * Checks the rows after a checkpoint, private values too, and returns the size of the checkpoint up to which they are proved. Throws
 * OperatorError naming the first row that was changed, or the rows between two checkpoints when only the root tells.
 */
export function checkRows(database: Database.Database, checkpoints: Checkpoints, share: Share): number {
  // One read transaction: a redaction that commits during the read must not look like an omission.
  return database.transaction(() => {
    const sizes = checkpoints.list().map(({ size }) => size);
    const after = sizes.includes(share.after) ? share.after : 0;
    const proved = provedSize(database, checkpoints, { ...share, after }, sizes);
    assertPrivateValues(database, after, proved);
    return proved;
  })();
}

function provedSize(
  database: Database.Database,
  checkpoints: Checkpoints,
  { after, rows, isLate, progress }: Share,
  sizes: readonly number[],
): number {
  const upTo = sizes.at(-1) ?? 0;
  if (after === upTo) return upTo;
  const ends = new Set(sizes);
  for (const { id } of provedRows(database, checkpoints, { after, upTo, redactedUpTo: Infinity })) {
    if (id % PROGRESS_ROWS === 0) progress?.(id, upTo);
    const proved = id - 1; // the root of its checkpoint is compared when the next row is asked for
    if (proved > after && ends.has(proved) && (proved - after >= rows || isLate())) return proved;
  }
  return upTo;
}

function assertPrivateValues(database: Database.Database, after: number, upTo: number): void {
  const statement = database
    .prepare<[number, number], PrivateRow>(
      `SELECT r.id, r.digests, o.salts, o.private FROM rows r JOIN openings o ON o.row = r.id
       WHERE r.id > ? AND r.id <= ? AND o.private IS NOT NULL`,
    )
    .raw();
  for (const row of statement.iterate(after, upTo)) assertPrivate(row);
}

function assertPrivate([row, digests, salts, json]: PrivateRow): void {
  const texts = digestTexts(digests);
  const claims = privateClaims(row, json);
  for (const [index, claim] of claims.entries())
    if (claim.name === BODY_NAME || !texts.includes(claimDigest(salts, index + 1, claim)))
      throw changedRow(row, `its ${claim.name} does not fit its digests`);
}
