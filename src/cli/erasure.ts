import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import type { RedactionReason } from "../contract/enums.ts";
import type { ErasurePlan, ErasureRequest } from "../intake/erasure/erasure-plan.ts";
import type { KnownValue } from "../intake/opt-outs/known-by.ts";
import type { OptOutPart } from "../intake/opt-outs/opt-out-part.ts";
import type { OptOutPlan } from "../intake/opt-outs/plan-opt-out.ts";
import { shellWord } from "../kernel/text/shell-word.ts";
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
  reasons: readonly RedactionReason[],
) {
  return command
    .addOption(
      new Option("--reason <code>", "stays private; published as a count by month, from three on")
        .choices(reasons)
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
  const { command, target, reason, also = [], ...part } = requestFields(plan.request);
  const notes = erasureNotes(plan);
  const result = {
    command,
    target,
    reason,
    ...part,
    ...(also.length > 0 && { also }),
    record: plan.about ?? null,
    rows: plan.rows.length,
    rows_by_kind: plan.rowsByKind,
    records_erased: plan.records,
    observed_from: plan.observed?.first ?? null,
    observed_to: plan.observed?.last ?? null,
    online_checks: plan.onlineChecks,
    renamed: plan.renamed,
    ...(plan.optedOut && refusedFields(plan.optedOut)),
  };
  if (json) {
    printJson(context, { ...result, confirm: plan.code, notes });
    return;
  }
  printResult(context, false, {
    ...result,
    record: result.record && recordText(result.record),
    records_erased: joined(result.records_erased.map(recordText)),
    renamed: joined(plan.renamed.map(({ was, is }) => `"${was.name}" becomes "${is.name}"`)),
    ...(plan.optedOut && refusedTexts(refusedFields(plan.optedOut))),
  });
  const limits = [
    ...Object.entries(part).map(([name, value]) => ` --${name} ${value}`),
    ...also.map((name) => ` --also ${shellWord(name)}`),
  ];
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

/** What intake is to refuse: each name and contact, where, and why there. */
function refusedFields({ names, knownBy, places, touched, pending }: OptOutPlan) {
  const contacts = (known: readonly KnownValue[]) =>
    known.map(({ text, isShared }) => ({ value: text, where: isShared ? "places" : "city" }));
  return {
    names: names.map(({ key, reach, because }) => ({ name: key, where: reach, because })),
    websites: contacts(knownBy.websites),
    telephones: contacts(knownBy.phones),
    places: places.map(({ lat, lng }) => `${lat},${lng}`),
    touched_records: touched,
    pending_lines: pending.refused.length,
  };
}

const WHERE = { city: "in the city", places: "at its places", nowhere: "nowhere" } as const;

function refusedTexts(fields: ReturnType<typeof refusedFields>) {
  const contacts = (known: typeof fields.websites) =>
    joined(known.map(({ value, where }) => `${value} (${where === "city" ? WHERE.city : WHERE.places})`));
  return {
    names: joined(fields.names.map(({ name, where }) => `"${name}" (${WHERE[where]})`)),
    websites: contacts(fields.websites),
    telephones: contacts(fields.telephones),
    places: joined(fields.places),
    touched_records: joined(fields.touched_records.map(({ public_id, name }) => `${public_id} "${name}"`)),
    pending_lines: fields.pending_lines,
  };
}

function requestFields({ kind, target, reason, part, also }: ErasureRequest) {
  const command = kind === "opt_out" ? "opt-out" : "redact";
  return { command, target, reason, ...partField(part), ...(also && { also }) };
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
