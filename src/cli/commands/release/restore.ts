import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { progressBar } from "../../../build/progress.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { checkedBackup } from "../../../operations/backup/backup-manifest.ts";
import { restoreHome } from "../../../operations/backup/restore-home.ts";
import { makeFolder } from "../../../operations/backup/whole-folder.ts";
import { type CommandContext, printResult } from "../../../operations/context.ts";

interface Options {
  readonly into: string;
  readonly keys?: string;
  readonly published?: string;
  readonly json?: boolean;
}

export function defineRestore(command: Command, context: CommandContext): void {
  command
    .argument("<folder>")
    .requiredOption("--into <home>", "the new PRESENCE_HOME; must not exist, or be empty")
    .option("--keys <folder>", "keys that were kept apart from the backup")
    .option(
      "--published <file>",
      "the newest /ledger/checkpoint that was published; an older backup is refused",
    )
    .option("--json", "print the result as JSON")
    .action((folder: string, options: Options) => restore(context, folder, options));
}

async function restore(context: CommandContext, backup: string, options: Options): Promise<void> {
  const { into: target, keys } = options;
  const published = options.published === undefined ? undefined : readHead(options.published);
  const reading = progressBar(context.stderr, "checking", context.clock);
  const checked = checkedBackup(backup, (bytes, total) => reading.update(bytes, total));
  const manifest = await checked.finally(() => reading.done());
  const bar = progressBar(context.stderr, "verifying", context.clock);
  const refusal = "it holds something already, and a home is never overwritten: give a new folder";
  await makeFolder({ target, refusal, what: `restoring into ${target}` }, (folder) =>
    restoreHome(folder, {
      backup,
      manifest,
      keys,
      published,
      clock: context.clock,
      progress: (rows, total) => bar.update(rows, total),
    }),
  ).finally(() => bar.done());
  const { made_at, environment, origin, rows, tree_size, state } = manifest;
  printResult(context, options.json, { home: target, made_at, environment, origin, rows, tree_size, state });
  for (const remark of remarks(manifest.tree_size, state, published !== undefined))
    context.stderr.write(`${remark}\n`);
}

function* remarks(treeSize: number, state: string, isCompared: boolean): Generator<string> {
  if (!isCompared)
    yield `WARNING: nothing here tells whether a head of more than ${treeSize} rows was published after this backup. Compare with the last published /ledger/checkpoint (--published) before you seal: two histories under one key end the trust in the log.`;
  if (state === "postgresql")
    yield 'The state is in PostgreSQL: pg_restore --clean --if-exists --dbname="$STATE_URL" state.pgdump';
  yield "Then: presence build, presence verify.";
}

function readHead(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new OperatorError(`--published ${path}: the file cannot be read`, { cause });
  }
}
