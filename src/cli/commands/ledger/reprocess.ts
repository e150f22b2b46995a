import type { Command } from "@commander-js/extra-typings";
import { planReprocess } from "../../../intake/reprocess/reprocess.ts";
import { type CommandContext, openWriter, printLines, printResult } from "../../../operations/context.ts";
import { reprocessConfirmed } from "../../../operations/erasure/reprocess.ts";
import { CLOCK_OPTION, JSON_OPTION } from "../../command.ts";

const NOTES = [
  "This cannot be undone. Every row about a record is erased and appended again: it gets a new number and a new leaf, and its old number is withdrawn.",
  "Public ids, source references, dates, reviews and merges stay; no event is raised. Citations of the old rows say that they are withdrawn.",
  "Copies made by others cannot be recalled. The next build deletes all earlier releases.",
  "The ledger file needs about three times its size on disk for a moment.",
];

export function define(command: Command, context: CommandContext): void {
  command
    .option("--confirm <code>", "do it; without it, only count the rows and print the code")
    .option(...CLOCK_OPTION)
    .option(...JSON_OPTION)
    .action(async ({ confirm, clock, json }) => {
      if (confirm === undefined) {
        preview(context, clock, json);
        return;
      }
      const { rows, named, seal } = await reprocessConfirmed(context, { code: confirm, clock });
      printResult(context, json, {
        rows_appended_again: rows,
        named_by_rows: json === true ? named : named.join(", ") || null,
        tree_size: seal.checkpoint?.size ?? null,
      });
      if (json !== true) printLines(context, ["", "Run `presence build` or `presence nightly` now."]);
    });
}

function preview(context: CommandContext, clock: string | undefined, json: boolean | undefined): void {
  using ledger = openWriter(context, clock);
  const { tooFine, rows, code } = planReprocess(ledger);
  printResult(context, json, {
    rows_too_fine: tooFine,
    rows_to_append_again: rows,
    ...(json === true && { confirm: code, notes: NOTES }),
  });
  if (json === true || rows === 0) return;
  printLines(context, [
    "",
    ...NOTES.map((note) => `- ${note}`),
    "",
    `To do this: presence reprocess --confirm ${code}`,
  ]);
}
