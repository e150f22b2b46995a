import { utcDayStart } from "../../kernel/time.ts";
import type { NewRow } from "../../ledger/rows/rows.ts";
import type { Delayed } from "../../ledger/sources/source-store.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { type ErasurePlan, planLeaving } from "../erasure/erasure-plan.ts";
import { intakeHashes } from "../lines/sighting.ts";
import { reteachRows } from "../matching/reteach.ts";
import { dueNamings, queueNamings } from "../naming/queue-namings.ts";

export interface DueChanges {
  readonly recounts: number; // rows appended
  readonly namings: number; // likewise
  readonly leaving: ErasurePlan | undefined; // rows whose day to be erased has come
}

/**
 * Queues what records are to be called, then brings the changes into effect whose day has come: one row each, in the order of a keyed
 * hash, dated the last finished day. Rows that leave go together, whoever made them: the caller carries out their plan. Throws OperatorError
 * when the disk is full.
 */
export function applyDueChanges(ledger: LedgerWriter): DueChanges {
  const atOnce = queueNamings(ledger);
  const today = utcDayStart(ledger.now());
  const due = ledger.sources.delayed(today);
  if (due.length === 0) return { recounts: 0, namings: atOnce, leaving: undefined };
  const changes = inKeyedOrder(
    ledger,
    due.filter(({ change }) => !("erase" in change)),
  );
  const named = changes.filter(({ change }) => "naming" in change).map(({ target }) => target);
  const written = ledger.transactionDated(today - 1, () => {
    const namings = dueNamings(ledger, named);
    for (const change of changes) append(ledger, change, namings);
    const counted = changes.filter(({ change }) => "counts" in change);
    reteachRows(
      ledger,
      counted.map(({ target }) => target),
    );
    return namings.size;
  });
  return {
    recounts: changes.length - named.length,
    namings: atOnce + written,
    leaving: planDue(ledger, due),
  };
}

function append(
  ledger: LedgerWriter,
  { target, change }: Delayed,
  namings: ReadonlyMap<number, NewRow>,
): void {
  const naming = namings.get(target);
  if ("counts" in change) ledger.append({ kind: "recount", body: { counts: change.counts, target } });
  if ("naming" in change && naming !== undefined) ledger.append(naming);
  ledger.sources.settle({ target, change });
}

function inKeyedOrder({ purposeKey }: LedgerWriter, due: readonly Delayed[]): Delayed[] {
  const { observerTag } = intakeHashes(purposeKey);
  return due
    .map((each) => ({ each, order: observerTag(`due ${each.target} ${JSON.stringify(each.change)}`) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ each }) => each);
}

function planDue(ledger: LedgerWriter, due: readonly Delayed[]): ErasurePlan | undefined {
  const rows = due.filter(({ change }) => "erase" in change).map(({ target }) => target);
  return rows.length === 0 ? undefined : planLeaving(ledger, rows);
}
