import { join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { withProgress } from "../../../build/progress.ts";
import { readNamedFile } from "../../../kernel/files/named-file.ts";
import { isSharedFolder } from "../../../kernel/files/secret-file.ts";
import { homePaths } from "../../../kernel/home.ts";
import { isoTime } from "../../../kernel/time.ts";
import { type BackupManifest, readBackupManifest } from "../../../operations/backup/backup-manifest.ts";
import { refuseHeldHome } from "../../../operations/backup/home-holders.ts";
import { type Part, restoreHome } from "../../../operations/backup/restore-home.ts";
import { nextSteps, ownParts, PARTS } from "../../../operations/backup/restore-parts.ts";
import { fetchBackup } from "../../../operations/backup/store/fetch.ts";
import { storeOf } from "../../../operations/backup/store/store.ts";
import { fillFolder, makeFolder } from "../../../operations/backup/whole-folder.ts";
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
    .requiredOption(
      "--into <home>",
      "the new PRESENCE_HOME; must not exist, or be empty, or have empty folders night/ and state/ of two users",
    )
    .option("--keys <folder>", "the keys, if they were kept apart from the backup")
    .option("--published <file>", "the newest published /ledger/checkpoint; refuses an older backup")
    .option(...JSON_OPTION)
    .action((folder, options) => restore(context, folder, options));
}

/** Restores what this user may. Each part of a home is restored whole or not at all. */
async function restore(
  context: CommandContext,
  backup: string | undefined,
  options: RestoreOptions,
): Promise<void> {
  const { into: target } = options;
  const parts = ownParts(target, context.user);
  const restored = parts === "whole" ? PARTS : parts;
  refuseHeldHome(homePaths(target), restored);
  const what = `restoring into ${target}`;
  const refusal = "the folder is not empty, and a home is never overwritten: give a new folder";
  const isShared = isSharedFolder(homePaths(target).stateFolder);
  const fill = (part?: Part) => (folder: string, scratch: string) =>
    restoreFrom(context, { ...options, ...(part && { parts: [part] }), isShared, backup, scratch }, folder);
  let manifest: BackupManifest | undefined;
  if (parts === "whole") manifest = await makeFolder({ target, refusal, what }, fill());
  else
    for (const part of parts)
      manifest = await fillFolder({ target: join(target, part), refusal, what }, fill(part));
  if (manifest === undefined) throw new Error("no part was restored");
  const { made_at, environment, origin, rows, tree_size, state } = manifest;
  const facts = {
    parts: options.json ? restored : restored.join(", "),
    made_at,
    environment,
    origin,
    rows,
    tree_size,
    state,
  };
  printResult(context, options.json, { home: target, ...facts });
  for (const note of [
    ...(restored.includes("night") ? notes(manifest, options.published !== undefined) : []),
    ...nextSteps(target, parts, state === "sqlite", context.user),
  ])
    context.stderr.write(`${note}\n`);
}

interface FromOptions extends RestoreOptions {
  readonly parts?: readonly Part[];
  readonly isShared: boolean;
  readonly backup: string | undefined; // undefined: the newest one of the repositories
  readonly scratch: string;
}

async function restoreFrom(
  context: CommandContext,
  { scratch, ...options }: FromOptions,
  folder: string,
): Promise<BackupManifest> {
  const fetched =
    options.backup === undefined
      ? await fetchBackup(storeOf(context, join(scratch, "cache")), scratch)
      : undefined;
  const backup = fetched?.backup ?? options.backup ?? "";
  const keys = options.keys ?? fetched?.keys;
  const published =
    options.published === undefined ? undefined : readNamedFile(options.published, "--published");
  const manifest = readBackupManifest(backup);
  await withProgress(context, "verifying", (progress) =>
    restoreHome(folder, { ...options, backup, manifest, keys, published, clock: context.clock, progress }),
  );
  if (fetched !== undefined) context.stderr.write(`The state is as of ${isoTime(fetched.stateAt)}.\n`);
  return manifest;
}
function* notes({ tree_size: treeSize, state }: BackupManifest, isCompared: boolean): Generator<string> {
  if (!isCompared)
    yield `WARNING: a checkpoint of more than ${treeSize} rows may have been published after this backup. Compare with the last published /ledger/checkpoint (--published) before you seal: two histories under one key destroy the trust in the log.`;
  if (state === "postgresql")
    yield 'The state is in PostgreSQL: pg_restore --clean --if-exists --dbname="$STATE_URL" state.pgdump';
}
