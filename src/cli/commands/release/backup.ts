import type { Command } from "commander";
import { progressBar } from "../../../build/progress.ts";
import { backupHome } from "../../../operations/backup/backup-home.ts";
import { makeFolder } from "../../../operations/backup/whole-folder.ts";
import { type CommandContext, homeOf, printResult } from "../../../operations/context.ts";

interface Options {
  readonly withoutKeys?: boolean;
  readonly json?: boolean;
}

const POSTGRES_NOTE = `The state is in PostgreSQL and not in this backup. Back it up now, after the ledger:
  pg_dump --format=custom --file=state.pgdump "$STATE_URL"
`;

export function defineBackup(command: Command, context: CommandContext): void {
  command
    .argument("<folder>")
    .option("--without-keys", "leave the keys out, to keep them apart")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      "\nThe folder holds private values and, with keys, whatever signs in your name: keep it safe.",
    )
    .action((folder: string, { withoutKeys, json }: Options) =>
      backup(context, folder, withoutKeys !== true, json),
    );
}

async function backup(
  context: CommandContext,
  target: string,
  withKeys: boolean,
  json: boolean | undefined,
): Promise<void> {
  const stateIsElsewhere = context.config.stateUrl !== undefined;
  const bar = progressBar(context.stderr, "copying", context.clock);
  const refusal = "it holds something already: give a new or an empty folder";
  const made = makeFolder({ target, refusal, what: `making a backup in ${target}` }, (folder) =>
    backupHome(homeOf(context), folder, {
      stateIsElsewhere,
      withKeys,
      madeAt: context.clock(),
      progress: (pages, total) => bar.update(pages, total),
    }),
  );
  const { files, signed_head: _, ...facts } = await made.finally(() => bar.done());
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  printResult(context, json, { backup: target, ...facts, files: Object.keys(files).length, bytes });
  if (stateIsElsewhere) context.stderr.write(POSTGRES_NOTE);
}
