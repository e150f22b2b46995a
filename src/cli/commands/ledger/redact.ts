import type { Command } from "@commander-js/extra-typings";
import { RedactionReason } from "../../../contract/enums.ts";
import { planRedaction, planWrongRecord } from "../../../intake/erasure/erasure-plan.ts";
import {
  type PendingTarget,
  pendingTarget,
  planPendingRedaction,
  redactPending,
} from "../../../intake/erasure/pending-redaction.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { type CommandContext, openWriter, printLines, printResult } from "../../../operations/context.ts";
import { type ErasureOptions, runErasure, withErasureOptions } from "../../erasure.ts";

export function define(command: Command, context: CommandContext): void {
  withErasureOptions(
    command.argument(
      "<target>",
      "number of a row, BATCH:LINE of an accepted line that is not a row yet, or the public id of a record that is wrong as a whole",
    ),
    RedactionReason.options,
  ).action((target, options) => {
    const isRecord = PUBLIC_ID.test(target);
    if (isRecord !== (options.reason === WRONG_RECORD))
      throw new OperatorError(
        `--reason ${WRONG_RECORD} and the public id of a record go together: a record goes as a whole for this reason alone`,
      );
    const pending = pendingTarget(target);
    if (pending !== undefined) return runPending(context, pending, options);
    const request = { kind: "redaction", target, reason: options.reason } as const;
    return runErasure(context, request, options, isRecord ? planWrongRecord : planRedaction);
  });
}

const PUBLIC_ID = /^[a-z]+_\w+$/;
const WRONG_RECORD: RedactionReason = "wrong_record";

const NOTES = [
  "This cannot be undone. No row names the line, because it never became one; the reason is not recorded.",
  "Intake still rejects the same source reference.",
  "Outside the ledger, find and delete the same values: input files, their `<input>.rejects.ndjson`, backups of ledger.db.",
];

function runPending(
  context: CommandContext,
  target: PendingTarget,
  { confirm, clock, reason, json = false }: ErasureOptions & { readonly reason: string },
): void {
  using ledger = openWriter(context, clock);
  const name = `${target.batch}:${target.line}`;
  if (confirm !== undefined) {
    redactPending(ledger, target, confirm);
    printResult(context, json, { command: "redact", target: name, lines_deleted: 1 });
    return;
  }
  const { code, name: business, assetType, observedAt } = planPendingRedaction(ledger, target);
  const shown = { name: business, asset_type: assetType, observed_at: observedAt };
  printResult(context, json, {
    ...{ command: "redact", target: name, reason, ...shown },
    ...(json && { confirm: code, notes: NOTES }),
  });
  if (json) return;
  const next = `To delete this line: presence redact ${name} --reason ${reason} --confirm ${code}`;
  printLines(context, ["", ...NOTES.map((note) => `- ${note}`), "", next]);
}
