import { confirmationCode } from "../../kernel/confirmation.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { utcDayStart } from "../../kernel/time.ts";
import type { Batch, Batches, BatchLeft } from "../../ledger/matching/batches.ts";
import { BATCH_UNDONE } from "../../ledger/rows/rows.ts";
import type { StoredObservation } from "../../ledger/sources/stored-observations.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { reteachRows } from "../matching/reteach.ts";
import { CurrentCounts } from "../sources/teaching.ts";

/** `empty`: no line came in. `taken_in`: every accepted line has a row, waits for a reviewer, or is deleted. */
export const BATCH_STATES = ["pending", "held_back", "approved", "taken_in", "undone", "empty"] as const;
export type BatchState = (typeof BATCH_STATES)[number];

export function batchState({ decision, accepted, looks }: Batch, { waiting }: BatchLeft): BatchState {
  if (decision === "undone" || decision === "held_back") return decision;
  if (waiting > 0) return decision === "approved" ? "approved" : "pending";
  return accepted + looks === 0 ? "empty" : "taken_in";
}

const NAME = /^b\d{1,15}$/;

/** Throws OperatorError for a name that no batch has. */
export function knownBatch(batches: Batches, name: string): Batch {
  const batch = NAME.test(name) ? batches.find(name) : undefined;
  if (batch !== undefined) return batch;
  throw new OperatorError(`no batch ${name}: see \`presence batch list\``);
}

/** The lines of a batch that was held back go with the next seal, dated today. Throws OperatorError for another one. */
export function approve(ledger: LedgerWriter, name: string): Batch {
  const batch = knownBatch(ledger.batches, name);
  if (batch.decision !== "held_back")
    throw new OperatorError(`batch ${name} is not held back: there is nothing to approve`);
  const now = ledger.now();
  ledger.transaction(() => {
    ledger.batches.letGo(name, now);
    ledger.batches.decide(name, "approved", now);
  });
  return batch;
}

/**
 * Taking a batch back. Lines without a row leave as if they had never come. Rows stay, and stop counting at once and together: that
 * tells every reader that they came in one batch, so it asks for a code first.
 */

export interface UndoPlan {
  readonly batch: Batch;
  readonly left: BatchLeft;
  readonly rows: readonly number[]; // observations of the batch
  readonly counting: readonly number[]; // of these, those that count now
  readonly records: number; // that the counting ones are about
  readonly observers: number; // that made them
  /** Of two of them, how probably one observer made both: how often a reader is right who takes the batch for one observer. */
  readonly oneObserver: number;
  readonly code: string; // valid until the ledger changes
}

/** Changes nothing. Reads the ledger through where the batch has rows. Throws OperatorError for an unknown batch, or one that is undone. */
export function planUndo(ledger: LedgerWriter, name: string): UndoPlan {
  const batch = knownBatch(ledger.batches, name);
  if (batch.decision === "undone") throw new OperatorError(`batch ${name} is undone already`);
  const rows = ledger.batches.rowsOf(name);
  const counting = rows.length === 0 ? [] : countingRows(ledger, new Set(rows));
  const { row, hash } = ledger.live.last();
  return {
    batch,
    left: ledger.batches.left(name),
    rows,
    counting: counting.map((each) => each.row),
    records: new Set(counting.map(({ body }) => body.record)).size,
    ...observersOf(counting),
    code: confirmationCode([row, hash, "undo", name, rows]),
  };
}

function countingRows(ledger: LedgerWriter, rows: ReadonlySet<number>): StoredObservation[] {
  const counts = new CurrentCounts(ledger.live.recounts());
  return [...ledger.storedObservations()].filter(
    (stored) => rows.has(stored.row) && counts.of({ row: stored.row, stored }),
  );
}

function observersOf(counting: readonly StoredObservation[]): Pick<UndoPlan, "observers" | "oneObserver"> {
  const sizes = [...Map.groupBy(counting, ({ hidden }) => hidden.observer.hash).values()].map(
    ({ length }) => length,
  );
  const pairs = (size: number) => size * (size - 1);
  const all = pairs(counting.length);
  const same = sizes.reduce((sum, size) => sum + pairs(size), 0);
  return { observers: sizes.length, oneObserver: all === 0 ? 0 : same / all };
}

/** One transaction. The rows that stop the batch's rows are dated the last finished day, so that the next seal covers them. */
export function undo(ledger: LedgerWriter, { batch: { name }, rows, counting }: UndoPlan): void {
  const { batches, sources } = ledger;
  const now = ledger.now();
  const today = utcDayStart(now);
  ledger.transactionDated(today - 1, () => {
    batches.takeBack(name, now);
    batches.decide(name, "undone", now);
    for (const row of rows) {
      sources.putSetAside(row, BATCH_UNDONE, today);
      sources.settle({ target: row, change: { counts: true } });
    }
    for (const target of counting)
      ledger.append({ kind: "recount", body: { code: BATCH_UNDONE, counts: false, target } });
    reteachRows(ledger, counting);
  });
}
