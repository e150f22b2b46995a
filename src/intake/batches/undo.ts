/**
 * Taking a batch back. Lines without a row leave as if they had never come. Rows stay, and stop counting at once and together: that
 * tells every reader that they came in one batch, so it asks for a code first.
 */
import { confirmationCode } from "../../kernel/confirmation.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { utcDayStart } from "../../kernel/time.ts";
import type { Batch, BatchLeft } from "../../ledger/matching/batches.ts";
import { BATCH_UNDONE } from "../../ledger/rows/rows.ts";
import type { StoredObservation } from "../../ledger/sources/stored-observations.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { reteachRows } from "../matching/reteach.ts";
import { CurrentCounts } from "../sources/teaching.ts";
import { knownBatch } from "./batch-state.ts";

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
