import { IntakeTraces } from "../../ledger/matching/intake-traces.ts";
import { continues } from "../../ledger/redaction-counts.ts";
import { LiveRows } from "../../ledger/rows/live-rows.ts";
import type { Redaction } from "../../ledger/rows/redactions.ts";
import type { SealResult } from "../../ledger/tree/seal.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { confirmationCode, type ErasurePlan, type ErasureRequest } from "./erasure-plan.ts";

export interface ErasureResult {
  /** The rows that name what was erased. */
  readonly named: readonly number[];
  readonly erasedRows: number;
  readonly seal: SealResult;
}

/** Erases what the plan says and seals, so that the next build covers it. Throws OperatorError as `LedgerWriter.erase` does. */
export function erase(ledger: LedgerWriter, plan: ErasurePlan): ErasureResult {
  const { request, rows, stripped, replacements, traces } = plan;
  const named = ledger.erase({
    kind: request.kind,
    reason: request.reason,
    rows,
    stripped,
    replacements,
    alongside: () => new IntakeTraces(ledger.index).remove(traces),
  });
  return { named, erasedRows: rows.length, seal: ledger.seal({ now: true }) };
}

/** An erasure that was confirmed with this code before, be it that the command was killed since: its rows, in order. */
export function doneBefore(
  ledger: LedgerWriter,
  request: ErasureRequest,
  code: string,
): Redaction[] | undefined {
  const live = new LiveRows(ledger.index);
  return decisions(live.redactions()).find(([first, ...rest]) => {
    if (first === undefined || first.kind !== request.kind || first.reason !== request.reason) return false;
    const head = { row: first.id - 1, hash: live.hashOf(first.id - 1) ?? "" };
    return (
      code ===
      confirmationCode(
        head,
        request,
        [first, ...rest].flatMap(({ rows }) => rows),
      )
    );
  });
}

/** Does again what comes after the erasure itself: nothing, if it was done. */
export function finish(ledger: LedgerWriter, done: readonly Redaction[]): ErasureResult {
  for (const { kind, reason, rows } of done.slice(0, 1)) ledger.erase({ kind, reason, rows });
  return {
    named: done.map(({ id }) => id),
    erasedRows: done.reduce((sum, { rows }) => sum + rows.length, 0),
    seal: ledger.seal({ now: true }),
  };
}

/** Redactions by the decision that they belong to. */
function decisions(found: readonly Redaction[]): Redaction[][] {
  const groups: Redaction[][] = [];
  for (const redaction of found) {
    const last = groups.at(-1);
    if (last !== undefined && continues(redaction, last.at(-1))) last.push(redaction);
    else groups.push([redaction]);
  }
  return groups;
}
