import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Command } from "@commander-js/extra-typings";
import { PROGRAM_VERSION } from "../../../contract/versions.ts";
import { freeBytes } from "../../../kernel/files/free-bytes.ts";
import { type CommandContext, homeOf, printJson, printLines } from "../../../operations/context.ts";
import { ExitError } from "../../../operations/exit-error.ts";
import { checkUpgrade, type UpgradeCheck } from "../../../operations/upgrade-check.ts";
import { JSON_OPTION } from "../../command.ts";

const NOT_TRIED = 2;
const MIB = 1 << 20;

export function define(command: Command, context: CommandContext): void {
  command
    .command("check")
    .description("try this version on a copy of the home, verify it, and remove it")
    .option("--scratch <folder>", "where the copies go; they hold private values, and are removed", tmpdir())
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nChanges nothing in PRESENCE_HOME. Exit code 0: this version can go on with it. 1: it cannot. 2: the state in PostgreSQL would be migrated, which was not tried.",
    )
    .action((options) => check(context, options));
}

interface CheckOptions {
  readonly scratch: string;
  readonly json?: boolean | undefined;
}

async function check(context: CommandContext, { scratch, json }: CheckOptions): Promise<void> {
  const checked = await checkUpgrade(homeOf(context), {
    scratch,
    stateUrl: context.config.stateUrl,
    clock: context.clock,
    freeBytes,
    say: (line) => context.stderr.write(`upgrade    ${line}\n`),
    onFolder: removeWhenStopped,
  });
  if (json === true) printJson(context, { version: PROGRAM_VERSION, ...checked });
  else printLines(context, [`version ${PROGRAM_VERSION}`, ...lines(checked)]);
  const { from, to, tried } = checked.state;
  if (!tried && from !== null && from !== to)
    throw new ExitError(
      NOT_TRIED,
      `STATE_URL: the state has format ${from}, and the first program of this version makes format ${to} of it; that was not tried: copy it with pg_dump first`,
    );
}

/** The copies hold private values, so a run that is stopped removes them as well. */
function removeWhenStopped(folder: string): void {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)
    process.once(signal, () => {
      rmSync(folder, { recursive: true, force: true });
      process.exit(code);
    });
}

function lines({ ledger, state, rows, bytes, seconds }: UpgradeCheck): string[] {
  const step = ({ from, to }: Pick<UpgradeCheck["state"], "from" | "to">) =>
    from === null ? "there is none" : from === to ? `format ${from} stays` : `format ${from} becomes ${to}`;
  return [
    `ledger: ${step(ledger)}; all ${rows} rows of the copy were verified`,
    `state: ${step(state)}${state.tried ? "" : " (in PostgreSQL: its version was read, nothing was tried)"}`,
    `time: copy ${seconds.copy} s, open ${seconds.open} s, verify ${seconds.verify} s`,
    `space: ${mebibytes(bytes.before)} before, ${mebibytes(bytes.after)} after`,
  ];
}

function mebibytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}
