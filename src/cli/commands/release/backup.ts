import type { Command } from "@commander-js/extra-typings";
import { withProgress } from "../../../build/progress.ts";
import { backupHome } from "../../../operations/backup/backup-home.ts";
import { makeFolder } from "../../../operations/backup/whole-folder.ts";
import { type CommandContext, homeOf, printResult } from "../../../operations/context.ts";
import { JSON_OPTION } from "../../command.ts";

const POSTGRES_NOTE = `The state is in PostgreSQL and not in this backup. Back it up now, after the ledger:
  pg_dump --format=custom --file=state.pgdump "$STATE_URL"
`;

export function define(command: Command, context: CommandContext): void {
  command
    .argument("<folder>")
    .option("--without-keys", "leave the keys out, to keep them apart")
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nThe folder holds private values and, with keys, everything needed to sign in your name: keep it safe.",
    )
    .action(async (target, { withoutKeys, json }) => {
      const stateIsElsewhere = context.config.stateUrl !== undefined;
      const refusal = "the folder is not empty: give a new or an empty folder";
      const manifest = await withProgress(context, "copying", (progress) =>
        makeFolder({ target, refusal, what: `making a backup in ${target}` }, (folder) => {
          const options = { stateIsElsewhere, withKeys: !withoutKeys, madeAt: context.clock(), progress };
          return backupHome(homeOf(context), folder, options);
        }),
      );
      const { files, signed_head: _, ...facts } = manifest;
      const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
      printResult(context, json, { backup: target, ...facts, files: Object.keys(files).length, bytes });
      if (stateIsElsewhere) context.stderr.write(POSTGRES_NOTE);
    });
}
