import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import { RedactionReason } from "../contract/enums.ts";
import type { ErasurePlan, ErasureRequest } from "../intake/erasure/erasure-plan.ts";
import type { OptOutPart } from "../intake/opt-outs/opt-out-part.ts";
import {
  type CommandContext,
  openWriter,
  printJson,
  printLines,
  printResult,
} from "../operations/context.ts";
import { type CompleteErasure, eraseConfirmed, type Planner } from "../operations/erasure/erasure.ts";
import { erasureNotes } from "../operations/erasure/erasure-notes.ts";
import { stampCheckpoints } from "../operations/seal-and-stamp.ts";
import { CLOCK_OPTION, JSON_OPTION } from "./command.ts";

export interface ErasureOptions {
  readonly confirm?: string | undefined;
  readonly clock?: string | undefined;
  readonly json?: boolean | undefined;
}

/** The options of `presence redact` and `presence opt-out`, which erase only with the code that the preview prints. */
export function withErasureOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
) {
  return command
    .addOption(
      new Option("--reason <code>", "stays private; published as a count by month, from three on")
        .choices(RedactionReason.options)
        .makeOptionMandatory(),
    )
    .option("--confirm <code>", "erase for good; without it, only preview the erasure and print the code")
    .option(...CLOCK_OPTION)
    .option(...JSON_OPTION);
}

export async function runErasure(
  context: CommandContext,
  request: ErasureRequest,
  { confirm, clock, json = false }: ErasureOptions,
  plan: Planner,
): Promise<void> {
  if (confirm === undefined) {
    using ledger = openWriter(context, clock);
    printPreview(context, plan(ledger, request), json);
    return;
  }
  printDone(context, request, await eraseConfirmed(context, request, plan, { code: confirm, clock }), json);
  await stampCheckpoints(context, clock);
}

function printPreview(context: CommandContext, plan: ErasurePlan, json: boolean): void {
  const { command, target, reason, ...part } = requestFields(plan.request);
  const notes = erasureNotes(plan);
  const result = {
    command,
    target,
    reason,
    ...part,
    record: plan.about ?? null,
    rows: plan.rows.length,
    rows_by_kind: plan.rowsByKind,
    records_erased: plan.records,
    observed_from: plan.observed?.first ?? null,
    observed_to: plan.observed?.last ?? null,
    online_checks: plan.onlineChecks,
    opted_out_names: plan.optedOut?.names ?? [],
    pending_lines: plan.optedOut?.pending.refused.length ?? 0,
    same_name_records: plan.optedOut?.sameName ?? [],
  };
  if (json) {
    printJson(context, { ...result, confirm: plan.code, notes });
    return;
  }
  printResult(context, false, {
    ...result,
    record: result.record && recordText(result.record),
    records_erased: joined(result.records_erased.map(recordText)),
    opted_out_names: joined(result.opted_out_names.map((name) => `"${name}"`)),
    same_name_records: joined(result.same_name_records),
  });
  const limits = Object.entries(part).map(([name, value]) => ` --${name} ${value}`);
  const next = `To erase this: presence ${command} ${target}${limits.join("")} --reason ${reason} --confirm ${plan.code}`;
  printLines(context, ["", ...notes.map((note) => `- ${note}`), "", next]);
}

const DONE_NOTES = [
  "Scores, ranks and coverage of the city keep their values until the next nightly release.",
  "Outside the ledger, find and delete the same values: input files, their `<input>.rejects.ndjson`, backups in folders (those of BACKUP_REPOSITORY are gone by the date above), logs and caches of front servers, exports that were passed on.",
];

function printDone(
  context: CommandContext,
  request: ErasureRequest,
  { erased: { named, erasedRows, seal }, patch, purge, backups }: CompleteErasure,
  json: boolean,
): void {
  printResult(context, json, {
    ...requestFields(request),
    rows_erased: erasedRows,
    named_by_rows: json ? named : joined(named.map(String)),
    tree_size: seal.checkpoint?.size ?? null,
    release: patch?.summary.releaseId ?? null,
    release_kind: patch?.kind ?? null,
    release_seconds: patch?.summary.seconds ?? null,
    files_made: patch?.summary.filesWritten ?? null,
    files_linked: patch?.summary.filesLinked ?? null,
    purge: purge ?? null,
    ...(backups && { backed_up: backups.isBackedUp, backups_gone_by: backups.goneBy }),
    ...(json && { notes: DONE_NOTES }),
  });
  if (!json) printLines(context, ["", ...DONE_NOTES.map((note) => `- ${note}`)]);
}

function requestFields({ kind, target, reason, part }: ErasureRequest) {
  return { command: kind === "opt_out" ? "opt-out" : "redact", target, reason, ...partField(part) };
}

function partField(part: OptOutPart | undefined): { asset?: string; place?: string } {
  if (part === undefined) return {};
  return "asset" in part ? { asset: part.asset } : { place: `${part.place.lat},${part.place.lng}` };
}

function recordText({ public_id, name, city }: { public_id: string; name: string; city: string }): string {
  return `${public_id} "${name}" in ${city}`;
}

function joined(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : texts.join(", ");
}
