import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { withProgress } from "../../../build/progress.ts";
import { readNamedFile } from "../../../kernel/files/named-file.ts";
import { homePaths } from "../../../kernel/home.ts";
import { isoTime } from "../../../kernel/time.ts";
import { checkedBackup } from "../../../operations/backup/backup-manifest.ts";
import { refuseHeldHome } from "../../../operations/backup/home-holders.ts";
import { restoreHome } from "../../../operations/backup/restore-home.ts";
import { fetchBackup } from "../../../operations/backup/store/fetch.ts";
import { storeOf } from "../../../operations/backup/store/store.ts";
import { makeFolder } from "../../../operations/backup/whole-folder.ts";
import { type CommandContext, printResult } from "../../../operations/context.ts";
import { JSON_OPTION } from "../../command.ts";

interface RestoreOptions {
  readonly into: string;
  readonly keys?: string | undefined;
  readonly published?: string | undefined;
  readonly json?: boolean | undefined;
}

export function define(command: Command, context: CommandContext): void {
  command
    .argument("[folder]", "a backup in a folder; left out: the newest one of the configured repositories")
    .requiredOption("--into <home>", "the new PRESENCE_HOME; must not exist, or be empty")
    .option("--keys <folder>", "the keys, if they were kept apart from the backup")
    .option("--published <file>", "the newest published /ledger/checkpoint; refuses an older backup")
    .option(...JSON_OPTION)
    .action((folder, options) =>
      folder === undefined ? restoreNewest(context, options) : restore(context, folder, options),
    );
}

/** Fetches the newest backup to a folder beside the new home. */
async function restoreNewest(context: CommandContext, options: RestoreOptions): Promise<void> {
  const scratch = `${resolve(options.into)}.fetched`;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  try {
    const { backup, keys, stateAt } = await fetchBackup(storeOf(context, join(scratch, "cache")), scratch);
    await restore(context, backup, { ...options, keys: options.keys ?? keys });
    context.stderr.write(`The state is as of ${isoTime(stateAt)}.\n`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function restore(context: CommandContext, backup: string, options: RestoreOptions): Promise<void> {
  const { into: target, keys, json } = options;
  const published =
    options.published === undefined ? undefined : readNamedFile(options.published, "--published");
  refuseHeldHome(homePaths(target));
  const manifest = await withProgress(context, "checking", (update) => checkedBackup(backup, update));
  const { made_at, environment, origin, rows, tree_size, state } = manifest;
  await withProgress(context, "verifying", (progress) =>
    restoreInPlace(target, (folder) =>
      restoreHome(folder, { backup, manifest, keys, published, clock: context.clock, progress }),
    ),
  );
  printResult(context, json, { home: target, made_at, environment, origin, rows, tree_size, state });
  for (const note of notes(tree_size, state, published !== undefined)) context.stderr.write(`${note}\n`);
}

/** Restores into a folder beside the target, which takes its place whole. */
function restoreInPlace(target: string, fill: (folder: string) => Promise<void>): Promise<void> {
  const refusal = "the folder is not empty, and a home is never overwritten: give a new folder";
  return makeFolder({ target, refusal, what: `restoring into ${target}` }, fill);
}

function* notes(treeSize: number, state: string, isCompared: boolean): Generator<string> {
  if (!isCompared)
    yield `WARNING: a checkpoint of more than ${treeSize} rows may have been published after this backup. Compare with the last published /ledger/checkpoint (--published) before you seal: two histories under one key destroy the trust in the log.`;
  if (state === "postgresql")
    yield 'The state is in PostgreSQL: pg_restore --clean --if-exists --dbname="$STATE_URL" state.pgdump';
  yield "Next: presence build, presence verify.";
}
