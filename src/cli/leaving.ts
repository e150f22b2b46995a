import type { LeavingPlan } from "../intake/sources/leaving.ts";
import { assertConfirmed } from "../kernel/confirmation.ts";
import { type CommandContext, printLines, printResult } from "../operations/context.ts";

interface LeavingOptions {
  readonly command: string;
  readonly confirm: string | undefined;
  readonly json: boolean | undefined;
}

/** Prints what goes. True where the code confirms it. Throws OperatorError for another code. */
export function confirmedLeaving(
  context: CommandContext,
  { rows, observers, pending, code }: LeavingPlan,
  { command, confirm, json }: LeavingOptions,
): boolean {
  const result = {
    rows: rows.size,
    records: new Set(rows.values()).size,
    observers: observers.length,
    pending_lines: pending.length,
  };
  if (confirm === undefined) {
    printResult(context, json, { ...result, confirm: code });
    if (json !== true)
      printLines(context, ["", ...NOTES, "", `To do this: presence ${command} --confirm ${code}`]);
    return false;
  }
  assertConfirmed(confirm, code);
  printResult(context, json, result);
  return true;
}

const NOTES = [
  "- Exact places, times and ids are deleted at once.",
  "- The public rows leave record by record within 14 days, each in a redaction with others where there are any.",
  "- Outside the ledger, delete the same values: input files, rejects, backups, logs.",
];
