import type { Command } from "@commander-js/extra-typings";
import { RedactionReason } from "../../../contract/enums.ts";
import { pendingTarget } from "../../../intake/erasure/erase.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import type { CommandContext } from "../../../operations/context.ts";
import { pendingLine } from "../../../operations/erasure/requests.ts";
import { rowErasure } from "../../../operations/erasure/row-erasure.ts";
import { runTakeOut, withErasureOptions } from "../../erasure.ts";

export function define(command: Command, context: CommandContext): void {
  withErasureOptions(
    command.argument(
      "<target>",
      "number of a row, BATCH:LINE of an accepted line that is not a row yet, or the public id of a record that is wrong as a whole",
    ),
    RedactionReason.options,
  ).action((target, { reason, ...options }) => {
    const isRecord = PUBLIC_ID.test(target);
    if (isRecord !== (reason === WRONG_RECORD))
      throw new OperatorError(
        `--reason ${WRONG_RECORD} and the public id of a record go together: a record goes as a whole for this reason alone`,
      );
    const pending = pendingTarget(target);
    if (pending !== undefined) return runTakeOut(context, pendingLine(pending, reason), options);
    return runTakeOut(context, rowErasure({ kind: "redaction", target, reason }), options);
  });
}

const PUBLIC_ID = /^[a-z]+_\w+$/;
const WRONG_RECORD: RedactionReason = "wrong_record";
