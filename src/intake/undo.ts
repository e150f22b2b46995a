/**
 * Taking a batch back. Lines without a row leave as if they had never come. Rows stay, and stop counting at once and together: that
 * tells every reader that they came in one batch, so it asks for a code first. Records and assets that only the batch made leave the public
 * for good: lines that come later make records of their own.
 */
import { confirmationCode } from "../kernel/confirmation.ts";
import { OperatorError } from "../kernel/errors.ts";
import { utcDayStart } from "../kernel/time.ts";
import type { Batch, BatchLeft } from "../ledger/matching/batches.ts";
import { BATCH_UNDONE } from "../ledger/rows/rows.ts";
import type { StoredObservation } from "../ledger/sources/stored-observations.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import { knownBatch } from "./batches.ts";
import { scopeAround, withDependents } from "./erasure/cascade.ts";
import { reteachRows } from "./matching/reteach.ts";
import { CurrentCounts } from "./sources/teaching.ts";

export interface UndoPlan {
  readonly batch: Batch;
  readonly left: BatchLeft;
  readonly rows: readonly number[]; // observations of the batch
  readonly counting: readonly number[]; // of these, those that count now
  readonly records: number; // that the counting ones are about
  readonly observers: number; // that made them
  /** Records and assets that only the batch made, with the public ids of the records: they leave the public. */
  readonly withdrawn: Withdrawn;
  /** Of two of them, how probably one observer made both: how often a reader is right who takes the batch for one observer. */
  readonly oneObserver: number;
  readonly code: string; // valid until the ledger changes
}

/** Changes nothing. Reads the ledger through where the batch has rows. Throws OperatorError for an unknown batch, or one that is undone. */
export function planUndo(ledger: LedgerWriter, name: string): UndoPlan {
  const batch = knownBatch(ledger.batches, name);
  if (batch.decision === "undone") throw new OperatorError(`batch ${name} is already undone`);
  const rows = ledger.batches.rowsOf(name);
  const counting = rows.length === 0 ? [] : countingRows(ledger, new Set(rows));
  const { row, hash } = ledger.live.last();
  return {
    batch,
    left: ledger.batches.left(name),
    rows,
    counting: counting.map((each) => each.row),
    records: new Set(counting.map(({ body }) => body.record)).size,
    withdrawn: onlyMadeBy(ledger, rows),
    ...observersOf(counting),
    code: confirmationCode([row, hash, "undo", name, rows]),
  };
}

interface Withdrawn {
  readonly records: readonly number[];
  readonly publicIds: readonly string[];
  readonly assets: readonly number[];
}

/** What no observation is left of, once these rows and those of earlier undone batches are taken away. */
function onlyMadeBy({ live, sources }: LedgerWriter, rows: readonly number[]): Withdrawn {
  const about = [...new Set(rows.flatMap((row) => live.recordsAbout(row)))];
  const scope = scopeAround(live, about);
  const undone = new Set(
    [...sources.setAside().values()]
      .filter(({ check, review }) => check === BATCH_UNDONE && review !== "restored")
      .map(({ row }) => row),
  );
  const before = scope.sightings.filter(({ id }) => undone.has(id)).map(({ id }) => id);
  const gone = withDependents([...rows, ...before], scope);
  const records = [...scope.records].filter(([id]) => gone.has(id));
  return {
    records: records.map(([id]) => id),
    publicIds: records.map(([, { public_id }]) => public_id),
    assets: [...scope.assets.keys()].filter((id) => gone.has(id)),
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

const WITHDRAWN = { decision: "withdraw", reason: BATCH_UNDONE, reviewer: "operator" } as const;

/** One transaction. The rows that stop the batch's rows are dated the last finished day, so that the next seal covers them. */
export function undo(ledger: LedgerWriter, { batch: { name }, rows, counting, withdrawn }: UndoPlan): void {
  const { batches, sources } = ledger;
  const now = ledger.now();
  const today = utcDayStart(now);
  ledger.transactionDated(today - 1, () => {
    batches.takeBack(name, now);
    batches.decide(name, "undone", now);
    batches.forgetDeliveries(name);
    for (const row of rows) {
      sources.putSetAside(row, BATCH_UNDONE, today);
      sources.settle({ target: row, change: { counts: true } });
    }
    for (const target of counting)
      ledger.append({ kind: "recount", body: { code: BATCH_UNDONE, counts: false, target } });
    const gone = [...withdrawn.records, ...withdrawn.assets];
    for (const target of gone)
      ledger.append({
        kind: "review",
        body: { ...WITHDRAWN, target, industry: null, into: null, tags: null },
      });
    sources.forgetItems(gone, rows);
    reteachRows(ledger, rows);
  });
}
