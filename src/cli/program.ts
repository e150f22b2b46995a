import { Command, CommanderError } from "@commander-js/extra-typings";
import { PROGRAM_VERSION } from "../contract/versions.ts";
import { settings } from "../kernel/config/config.ts";
import { type Output, writeText } from "../kernel/text/terminal.ts";
import type { CommandContext } from "../operations/context.ts";
import { ExitError } from "../operations/exit-error.ts";
import { failureLines } from "../operations/failure-text.ts";
import { guardClock } from "./clock-guard.ts";
import type { CommandTable } from "./command.ts";
import { deskCommands } from "./commands/desk/index.ts";
import { intakeCommands } from "./commands/intake/index.ts";
import { ledgerCommands } from "./commands/ledger/index.ts";
import { releaseCommands } from "./commands/release/index.ts";
import { serviceCommands } from "./commands/service/index.ts";
import { ENVIRONMENT_OPTION } from "./environment-option.ts";
import { guardUser } from "./user-guard.ts";

const GROUPS: Readonly<Record<string, CommandTable>> = {
  "Ledger:": ledgerCommands,
  "Intake:": intakeCommands,
  "Review:": deskCommands,
  "Releases:": releaseCommands,
  "Service:": serviceCommands,
};

/** Runs one command line, given without the program's name. Says on `stderr` what went wrong; returns the exit code. */
export async function runCommandLine(
  args: readonly string[],
  stderr: Output,
  enter: () => CommandContext,
): Promise<number> {
  try {
    const program = await presenceProgram(enter(), args);
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    // Commander has already printed its message, or the help.
    if (error instanceof CommanderError) return error.exitCode;
    for (const line of failureLines(error)) stderr.write(line);
    return error instanceof ExitError ? error.exitCode : 1;
  }
}

/** The command line of the operator, with only the command that is typed fully defined: loading all of them takes two seconds. */
async function presenceProgram(context: CommandContext, typed: readonly string[]): Promise<Command> {
  const [first = "", second = ""] = typed;
  const name = first === "help" ? second : first;
  const program = new Command("presence")
    .description("Physical Presence Evidence Service: intake, ledger, releases")
    .version(PROGRAM_VERSION)
    .option(`${ENVIRONMENT_OPTION} <file>`, "configuration as systemd's EnvironmentFile; before the command")
    .enablePositionalOptions() // an option after a subcommand is that one's
    .exitOverride() // process.exit during loading has hung
    .configureOutput({
      writeOut: (text) => writeText(context.stdout, text),
      writeErr: (text) => writeText(context.stderr, text),
      outputError: (text) => {
        for (const line of text.split(/\n(?=\(Did you mean )/)) context.stderr.write(line);
      },
    })
    .showHelpAfterError("(run with --help for usage)")
    .addHelpText("after", settingsHelp);
  for (const [group, table] of Object.entries(GROUPS)) {
    program.commandsGroup(group);
    for (const [each, [summary, load, user]] of Object.entries(table)) {
      const command = program.command(each).description(summary);
      if (each !== name) continue;
      (await load()).define(command, context);
      guardUser(command, context, { need: user, typed });
      guardClock(command, context);
    }
  }
  return program;
}

function settingsHelp(): string {
  const byConcern = Map.groupBy(settings(), ({ concern }) => concern);
  const lines = [...byConcern].map(
    ([concern, all]) => `  ${concern.padEnd(9)} ${all.map(({ name }) => name).join(" ")}`,
  );
  return `\nSettings (environment variables; the manual describes each):\n${lines.join("\n")}`;
}
