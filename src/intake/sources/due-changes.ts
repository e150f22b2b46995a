import { utcDayStart } from "../../kernel/time.ts";
import type { Delayed } from "../../ledger/sources/source-store.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { type ErasureResult, erase } from "../erasure/erase.ts";
import { type ErasurePlan, planLeaving } from "../erasure/erasure-plan.ts";
import { intakeHashes } from "../lines/sighting.ts";
import { reteachRows } from "../matching/reteach.ts";

export interface DueChanges {
  readonly recounts: number; // rows appended
  readonly erased: number; // rows
}

/** Runs the erasure of what leaves, with what has to happen around it. */
export type Around = (plan: ErasurePlan, work: () => ErasureResult) => ErasureResult;

/**
 * Brings the changes into effect whose day has come: one row each, in the order of a keyed hash, dated the last finished day. Rows
 * that leave go together, whoever made them. Throws OperatorError when the disk is full.
 */
export function applyDueChanges(ledger: LedgerWriter, around: Around = (_, work) => work()): DueChanges {
  const today = utcDayStart(ledger.now());
  const due = ledger.sources.delayed(today);
  if (due.length === 0) return { recounts: 0, erased: 0 };
  const recounts = inKeyedOrder(
    ledger,
    due.filter(({ change }) => !("erase" in change)),
  );
  ledger.transactionDated(today - 1, () => {
    for (const change of recounts) append(ledger, change);
    const counted = recounts.filter(({ change }) => "counts" in change);
    reteachRows(
      ledger,
      counted.map(({ target }) => target),
    );
  });
  return { recounts: recounts.length, erased: eraseDue(ledger, due, around) };
}

function append(ledger: LedgerWriter, { target, change }: Delayed): void {
  if ("counts" in change) ledger.append({ kind: "recount", body: { counts: change.counts, target } });
  ledger.sources.settle({ target, change });
}

function inKeyedOrder({ purposeKey }: LedgerWriter, due: readonly Delayed[]): Delayed[] {
  const { observerTag } = intakeHashes(purposeKey);
  return due
    .map((each) => ({ each, order: observerTag(`due ${each.target} ${JSON.stringify(each.change)}`) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ each }) => each);
}

function eraseDue(ledger: LedgerWriter, due: readonly Delayed[], around: Around): number {
  const rows = due.filter(({ change }) => "erase" in change).map(({ target }) => target);
  if (rows.length === 0) return 0;
  const plan = planLeaving(ledger, rows);
  const { erasedRows } = around(plan, () => erase(ledger, plan));
  ledger.scrub();
  return erasedRows;
}
