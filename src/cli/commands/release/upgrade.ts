import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Command } from "@commander-js/extra-typings";
import { PROGRAM_VERSION } from "../../../contract/versions.ts";
import { freeBytes } from "../../../kernel/files/free-bytes.ts";
import { type CommandContext, homeOf, printJson, printLines } from "../../../operations/context.ts";
import { ExitError } from "../../../operations/exit-error.ts";
import type { Part } from "../../../operations/upgrade/part.ts";
import { rehearseUpgrade } from "../../../operations/upgrade/rehearse-upgrade.ts";
import { JSON_OPTION } from "../../command.ts";

const NOT_REHEARSED = 2;
const MIB = 1 << 20;

export function define(command: Command, context: CommandContext): void {
  command
    .command("check")
    .description("migrate copies of ledger and state, verify them, and say what cannot be undone")
    .option("--scratch <folder>", "where the copies go; they hold private values, and are removed", tmpdir())
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nChanges nothing in PRESENCE_HOME. Exit code 0: this version can go on with it. 1: it cannot. 2: something could not be rehearsed.",
    )
    .action((options) => check(context, options));
}

interface CheckOptions {
  readonly scratch: string;
  readonly json?: boolean | undefined;
}

async function check(context: CommandContext, { scratch, json }: CheckOptions): Promise<void> {
  const rehearsal = await rehearseUpgrade(homeOf(context), {
    scratch,
    stateUrl: context.config.stateUrl,
    clock: context.clock,
    freeBytes,
    elapsed: () => performance.now(),
    say: (line) => context.stderr.write(`upgrade    ${line}\n`),
    onFolder: removeWhenStopped,
  });
  if (json === true) printJson(context, { version: PROGRAM_VERSION, ...rehearsal });
  else
    printLines(context, [
      `version ${PROGRAM_VERSION}`,
      ...rehearsal.parts.flatMap((part) => [...partLines(part)]),
    ]);
  const left = rehearsal.parts.flatMap(({ not_rehearsed: reason }) => reason ?? []);
  const [first, ...lines] = left;
  if (first !== undefined) throw new ExitError(NOT_REHEARSED, first, { lines });
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

function* partLines({ part, from, to, changes, seconds, bytes, going_back }: Part): Generator<string> {
  yield `${part}: ${from === to ? from : `${from} to ${to}`}`;
  for (const change of changes) yield `  ${change}`;
  if (changes.length === 0) yield "  nothing changes";
  if (seconds !== null)
    yield `  time: ${Object.entries(seconds)
      .map(([step, taken]) => `${step} ${taken} s`)
      .join(", ")}`;
  if (bytes !== null) yield `  space: ${mebibytes(bytes.before)} before, ${mebibytes(bytes.after)} after`;
  yield `  going back: ${going_back}`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}
