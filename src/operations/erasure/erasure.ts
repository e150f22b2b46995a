import { type Command, Option } from "commander";
import { RedactionReason } from "../../contract/enums.ts";
import { withoutRecord } from "../../delivery/email/messages.ts";
import { doneBefore, type ErasureResult, erase, finish } from "../../intake/erasure/erase.ts";
import type { ErasurePlan, ErasureRequest } from "../../intake/erasure/erasure-plan.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { type CommandContext, homeOf, openWriter, printResult } from "../context.ts";
import { existingState } from "../existing-state.ts";
import { lockReleases } from "../release.ts";
import { sealAndStamp } from "../seal-and-stamp.ts";
import { erasureNotes } from "./erasure-notes.ts";

/** What `presence redact` and `presence opt-out` have in common: they say what would go, and do it only with the code. */

export interface ErasureOptions {
  readonly reason: RedactionReason;
  readonly confirm?: string;
  readonly clock?: string;
  readonly json?: boolean;
}

type Planner = (ledger: LedgerWriter, request: ErasureRequest) => ErasurePlan;

export function addErasureOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--reason <code>", "published with the row numbers")
        .choices(RedactionReason.options)
        .makeOptionMandatory(),
    )
    .option("--confirm <code>", "erase for good; without it, only say what would go, and the code")
    .option("--clock <time>", "time of the decision; not for production ledgers")
    .option("--json", "print the result as JSON");
}

export async function runErasure(
  context: CommandContext,
  request: ErasureRequest,
  options: ErasureOptions,
  plan: Planner,
): Promise<void> {
  const { confirm, clock, json } = options;
  if (confirm === undefined) {
    using ledger = openWriter(context, clock);
    printPreview(context, plan(ledger, request), json);
    return;
  }
  printDone(context, request, await eraseConfirmed(context, request, { ...options, confirm }, plan), json);
  // All is sealed by now; this has the new seal time-stamped.
  if (context.config.timestampAuthority !== undefined)
    await sealAndStamp(context, clock === undefined ? { now: true } : { now: true, clock });
}

async function eraseConfirmed(
  context: CommandContext,
  request: ErasureRequest,
  { confirm, clock }: ErasureOptions & { readonly confirm: string },
  plan: Planner,
): Promise<ErasureResult> {
  using ledger = openWriter(context, clock);
  // A release that is being built now would be published with what is erased meanwhile.
  const lock = lockReleases(homeOf(context));
  try {
    const done = doneBefore(ledger, request, confirm);
    if (done !== undefined) return finish(ledger, done);
    const planned = confirmedPlan(ledger, request, confirm, plan);
    // First, because the ledger knows the records only until they are erased; after a kill the same code does both again.
    await forgetInState(context, planned);
    return erase(ledger, planned);
  } finally {
    lock.release();
  }
}

function confirmedPlan(
  ledger: LedgerWriter,
  request: ErasureRequest,
  code: string,
  plan: Planner,
): ErasurePlan {
  const planned = plan(ledger, request);
  if (planned.code === code) return planned;
  throw new OperatorError(
    `--confirm ${code}: not the code of what would be erased now, because the ledger or the request has changed since: run the command without --confirm, read what it says, and use the code that it prints`,
  );
}

/** Takes records and rows that go from what waits to be delivered, from subscriptions, from the counts of requests and from reports. */
async function forgetInState(context: CommandContext, { records, rows }: ErasurePlan): Promise<void> {
  await using state = await existingState(context);
  if (state === undefined) return;
  for (const { public_id } of records) await state.forgetRecord(public_id, withoutRecord(public_id));
  await state.reports.forgetRows(new Set(rows));
}

function printPreview(context: CommandContext, plan: ErasurePlan, json: boolean | undefined): void {
  const { request, about, records, observed, optedOut } = plan;
  const notes = erasureNotes(plan);
  const result = {
    command: commandName(request),
    target: request.target,
    reason: request.reason,
    record: about ?? null,
    rows: plan.rows.length,
    rows_by_kind: plan.rowsByKind,
    records_erased: records,
    observed_from: observed?.first ?? null,
    observed_to: observed?.last ?? null,
    online_checks: plan.onlineChecks,
    opted_out_names: optedOut?.names ?? [],
    held_lines: optedOut?.held.length ?? 0,
    same_name_records: optedOut?.sameName ?? [],
    confirm: plan.code,
  };
  if (json === true) {
    printResult(context, true, { ...result, notes });
    return;
  }
  const { record, records_erased, opted_out_names, same_name_records, confirm, ...plain } = result;
  const { command, target, reason, ...counts } = plain;
  printResult(context, false, {
    command,
    target,
    reason,
    record: record === null ? null : recordText(record),
    ...counts,
    records_erased: joined(records_erased.map(recordText)),
    opted_out_names: joined(opted_out_names.map((name) => `"${name}"`)),
    same_name_records: joined(same_name_records),
  });
  const next = `To erase this: presence ${commandName(request)} ${request.target} --reason ${request.reason} --confirm ${confirm}`;
  context.stdout.write(`\n${notes.map((note) => `- ${note}\n`).join("")}\n${next}\n`);
}

function printDone(
  context: CommandContext,
  request: ErasureRequest,
  { named, erasedRows, seal }: ErasureResult,
  json: boolean | undefined,
): void {
  const result = {
    command: commandName(request),
    target: request.target,
    reason: request.reason,
    rows_erased: erasedRows,
    named_by_rows: json === true ? named : joined(named.map(String)),
    tree_size: seal.checkpoint?.size ?? null,
  };
  const notes = [
    "Run `presence build` or `presence nightly` now: until then the published release still shows what is erased here. It also deletes all earlier releases.",
    "Outside the ledger, search for the same values and delete them: the input files, their `<input>.rejects.ndjson`, backups of ledger.db, logs and caches before the server, exports that were handed on.",
  ];
  if (json === true) {
    printResult(context, true, { ...result, notes });
    return;
  }
  printResult(context, false, result);
  context.stdout.write(`\n${notes.map((note) => `- ${note}\n`).join("")}`);
}

function commandName({ kind }: ErasureRequest): string {
  return kind === "opt_out" ? "opt-out" : "redact";
}

function recordText({ public_id, name, city }: { public_id: string; name: string; city: string }): string {
  return `${public_id} "${name}" in ${city}`;
}

function joined(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : texts.join(", ");
}
