/** The redaction of an accepted line before it becomes a row: the line is deleted, and its source reference stays refused. */
import { confirmationCode } from "../../kernel/confirmation.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { parseObservation } from "../lines/observation-input.ts";

export interface PendingTarget {
  readonly batch: string;
  readonly line: number;
}

/** What the operator sees before the line is deleted. */
export interface PendingRedaction extends PendingTarget {
  readonly id: number;
  readonly name: string;
  readonly assetType: string;
  readonly observedAt: string;
  readonly code: string;
}

const TARGET = /^(b\d{1,15}):([1-9]\d{0,14})$/;

/** The pending line that `b12:345` names; undefined for what has another form, such as the number of a row. */
export function pendingTarget(text: string): PendingTarget | undefined {
  const [, batch, line] = TARGET.exec(text) ?? [];
  return batch === undefined ? undefined : { batch, line: Number(line) };
}

/** Changes nothing. Throws OperatorError when no such line is pending. */
export function planPendingRedaction(ledger: LedgerWriter, target: PendingTarget): PendingRedaction {
  const found = ledger.pending.find(target.batch, target.line);
  if (found === undefined) throw notPending(target);
  const { name, asset_type, observed_at } = parseObservation(JSON.parse(found.input));
  const about = { name, assetType: asset_type, observedAt: observed_at };
  return { ...target, id: found.id, ...about, code: pendingCode(ledger, target) };
}

/** Deletes the line. `LedgerWriter.scrub` follows. */
export function erasePending(ledger: LedgerWriter, id: number): void {
  ledger.transaction(() => ledger.pending.erase([id], ledger.now()));
}

/** A line never changes, so its code is that of its name. */
function pendingCode({ meta }: LedgerWriter, { batch, line }: PendingTarget): string {
  return confirmationCode([meta.origin, "pending", batch, line]);
}

function notPending({ batch, line }: PendingTarget): OperatorError {
  return new OperatorError(
    `${batch}:${line}: no such line is pending: it was deleted, or it became rows when its day was taken in: give the number of its row`,
  );
}
