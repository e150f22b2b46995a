import type { Command } from "commander";
import { classifier, loadClassifierReference } from "../../../intake/matching/classify.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import type { LedgerWriter } from "../../../ledger/writer.ts";
import { type CommandContext, openWriter, printResult } from "../../../operations/context.ts";
import { Desk, type Outcome } from "../../../review/desk.ts";
import { decider } from "../../../review/reasons.ts";
import type { Request } from "../../../review/request.ts";

/** What all commands of reviewers have in common. */

export interface DeciderOptions {
  readonly as: string;
  readonly reason: string;
  readonly expect?: string;
  readonly clock?: string;
  readonly json?: boolean;
}

export function addDeciderOptions(command: Command): Command {
  return command
    .requiredOption("--as <role>", "who decides, as a role (review-desk), never a person: it is published")
    .requiredOption("--reason <code>", "why; docs/states.md has the codes")
    .option("--expect <row>", "the version that you saw: refuse if somebody else decided since")
    .option("--clock <time>", "time of the decision; not for production ledgers")
    .option("--json", "print the result as JSON");
}

/** Opens the ledger and sits down at the desk; all that `work` decides is kept, or nothing. */
export function atDesk<T>(
  context: CommandContext,
  clock: string | undefined,
  work: (desk: Desk, ledger: LedgerWriter) => T,
): T {
  using ledger = openWriter(context, clock);
  const names = () => classifier(loadClassifierReference());
  return work(new Desk({ ledger, classifier: names, random: context.random }), ledger);
}

/** One decision. */
export function takeOne(context: CommandContext, request: Request, options: DeciderOptions): void {
  const { as, reason, expect, clock, json } = options;
  const asked = { ...request, decider: decider(as, reason), expect: expectedRow(expect) };
  const outcome = atDesk(context, clock, (desk, ledger) => ledger.transaction(() => desk.take(asked)));
  const { action, subject, value } = request;
  printOutcome(context, json, { action, subject, ...(value !== undefined && { value }) }, outcome);
}

export function expectedRow(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new OperatorError("--expect: give the number of a row");
  return Number(text);
}

export function printOutcome(
  context: CommandContext,
  json: boolean | undefined,
  asked: Readonly<Record<string, unknown>>,
  { done, row }: Outcome,
): void {
  printResult(context, json, { ...asked, done, row });
  if (done === "already") context.stderr.write("nothing was written: the ledger says so already\n");
}
