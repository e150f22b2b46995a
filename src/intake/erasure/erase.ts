import { continues } from "../../ledger/redaction-counts.ts";
import type { Redaction } from "../../ledger/rows/redactions.ts";
import type { SealResult } from "../../ledger/tree/seal.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { reteach } from "../matching/reteach.ts";
import { type ErasurePlan, type ErasureRequest, planCode } from "./erasure-plan.ts";

export interface ErasureResult {
  /** The rows that name what was erased. */
  readonly named: readonly number[];
  readonly erasedRows: number;
  readonly seal: SealResult;
}

/** Erases what the plan says and seals, so that the next release covers it; `LedgerWriter.scrub` follows. Throws OperatorError as `LedgerWriter.erase` does. */
export function erase(ledger: LedgerWriter, plan: ErasurePlan): ErasureResult {
  const { request, rows, stripped, replacements, related, optOuts, pending, heldAgain } = plan;
  const named = ledger.erase({
    reason: request.reason,
    rows,
    stripped,
    replacements,
    alongside: () => {
      ledger.traces.remove(rows, optOuts, ledger.now());
      reteach(ledger, related);
      ledger.sources.forgetRows(rows);
      ledger.pending.erase(pending, ledger.now());
      ledger.pending.holdAgain(heldAgain, ledger.now());
    },
  });
  return { named, erasedRows: rows.length, seal: ledger.seal({ now: true }) };
}

/** The rows of an erasure that was confirmed with this code before, in order; its command may have been killed since. */
export function doneBefore(
  ledger: LedgerWriter,
  request: ErasureRequest,
  code: string,
): Redaction[] | undefined {
  const { live } = ledger;
  return decisions(live.redactions()).find(([first, ...rest]) => {
    if (first === undefined || first.reason !== request.reason) return false;
    const rows = [first, ...rest].flatMap((redaction) => redaction.rows);
    return code === planCode(live.last(first.id - 1), request, rows);
  });
}

/** Repeats the seal after the erasure itself, which changes nothing when it is complete. */
export function finish(ledger: LedgerWriter, done: readonly Redaction[]): ErasureResult {
  return {
    named: done.map(({ id }) => id),
    erasedRows: done.reduce((sum, { rows }) => sum + rows.length, 0),
    seal: ledger.seal({ now: true }),
  };
}

/** Redactions grouped by decision. */
function decisions(redactions: readonly Redaction[]): Redaction[][] {
  const groups: Redaction[][] = [];
  for (const redaction of redactions) {
    const last = groups.at(-1);
    if (last !== undefined && continues(redaction, last.at(-1))) last.push(redaction);
    else groups.push([redaction]);
  }
  return groups;
}
