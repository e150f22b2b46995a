import type { Command } from "@commander-js/extra-typings";
import { OperatorError } from "../kernel/errors.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import { type CommandContext, printResult } from "../operations/context.ts";
import { openCurrentWriter } from "../operations/take-in.ts";
import { Desk, type Outcome } from "../review/desk.ts";
import { decider } from "../review/reasons.ts";
import type { Request } from "../review/request.ts";
import { CLOCK_OPTION, JSON_OPTION } from "./command.ts";

export interface DeciderOptions {
  readonly as: string;
  readonly reason: string;
  readonly expect?: number | undefined;
  readonly clock?: string | undefined;
  readonly json?: boolean | undefined;
}

/** The options of every command that decides. */
export function withRole<Arguments extends unknown[], Options extends Record<string, unknown>>(
  command: Command<Arguments, Options>,
) {
  return command
    .requiredOption("--as <role>", "role of the reviewer (review-desk), never a person: it is published")
    .requiredOption("--reason <code>", "why; docs/states.md lists the codes")
    .option(...CLOCK_OPTION)
    .option(...JSON_OPTION);
}

/** The same for one that is not previewed. */
export function withDecider<Arguments extends unknown[], Options extends Record<string, unknown>>(
  command: Command<Arguments, Options>,
) {
  return withRole(command).option(
    "--expect <row>",
    "the version that you saw: refuse if it has changed since",
    expectedRow,
  );
}

/** Opens the ledger and its desk; all decisions of `work` are kept, or none. */
export async function atDesk<T>(
  context: CommandContext,
  clock: string | undefined,
  work: (desk: Desk, ledger: LedgerWriter) => T,
): Promise<T> {
  using ledger = await openCurrentWriter(context, clock);
  return work(new Desk(ledger), ledger);
}

/** Makes and prints one decision. */
export async function takeOne(
  context: CommandContext,
  { action, subject, value }: Request,
  { as, reason, expect, clock, json }: DeciderOptions,
): Promise<void> {
  const request = { action, subject, value, decider: decider(as, reason), expect };
  const outcome = await atDesk(context, clock, (desk, ledger) =>
    ledger.transaction(() => desk.take(request)),
  );
  printOutcome(context, json, { action, subject, ...(value !== undefined && { value }) }, outcome);
}

function expectedRow(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new OperatorError(`--expect must be the number of a row (got ${text})`);
}

const NOTES: Readonly<Partial<Record<Outcome["done"], string>>> = {
  already: "nothing was written: the ledger already says so",
  waits: "nothing was written: the line was accepted before, and becomes a row when its day is sealed",
};

export function printOutcome(
  context: CommandContext,
  json: boolean | undefined,
  request: Readonly<Record<string, unknown>>,
  { done, row }: Outcome,
): void {
  printResult(context, json, { ...request, done, row });
  const note = NOTES[done];
  if (note !== undefined) context.stderr.write(`${note}\n`);
}
