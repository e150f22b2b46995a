import type Database from "better-sqlite3";
import { OperatorError } from "../kernel/errors.ts";
import { redactedRows, redactions } from "./rows/redactions.ts";
import { isRowKind, type LedgerRow } from "./rows/rows.ts";
import { changedRow, type StoredRow, storedRows } from "./rows/stored-rows.ts";
import type { Checkpoints } from "./tree/checkpoints.ts";
import { Frontier } from "./tree/merkle.ts";

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
  const signed = checkpoints.list().filter(({ size }) => size > after && size <= upTo);
  if (upTo > 0 && signed.at(-1)?.size !== upTo)
    throw new OperatorError(`there is no signed checkpoint of ${upTo} rows: run \`presence seal\` first`);
  // Read ahead: the redactions themselves are proved when the stream comes to them.
  const redactedBy = redactedRows(redactions(database));
  const edge = checkpoints.at(after)?.frontier;
  const tree = edge === undefined ? new Frontier() : Frontier.fromBytes(after, edge);
  let proved = after;
  for (const stored of storedRows(database, after, upTo)) {
    assertOpening(stored, redactedBy.get(stored[0])?.id, redactedUpTo);
    tree.push(stored[4]);
    yield toLedgerRow(stored);
    const checkpoint = signed[0];
    if (tree.size !== checkpoint?.size) continue;
    if (!tree.root().equals(checkpoint.root))
      throw new OperatorError(
        `row ${proved + 1} to ${tree.size}: one of them is not the row that was signed: the ledger was changed; restore it from your backup`,
      );
    proved = tree.size;
    signed.shift();
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
  if (redactedBy > upTo)
    throw new OperatorError(
      `row ${id}: redacted later, by row ${redactedBy}: only a release of at least ${redactedBy} rows can be built`,
    );
}

function toLedgerRow([id, kind, acceptedAt, , leafHash, , body]: StoredRow): LedgerRow {
  if (!isRowKind(kind))
    throw new OperatorError(`row ${id}: of the unknown kind ${kind}: a newer program wrote this ledger`);
  // `append` has validated the body, and the digest proves that it is still that text.
  return { id, kind, acceptedAt, body: body === null ? undefined : JSON.parse(body), leafHash };
}
