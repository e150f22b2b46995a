#!/usr/bin/env node
import { join } from "node:path";
import { Command, CommanderError } from "@commander-js/extra-typings";
import { PROGRAM_VERSION } from "../contract/versions.ts";
import { settings } from "../kernel/config/config.ts";
import { readConfig } from "../kernel/config/environment.ts";
import { systemRandom } from "../kernel/ids.ts";
import { systemUser } from "../kernel/system-user.ts";
import { outputTo, writeText } from "../kernel/text/terminal.ts";
import { systemClock } from "../kernel/time.ts";
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
import { ENVIRONMENT_OPTION, enterEnvironment } from "./environment-option.ts";
import { tellUnfinished } from "./unfinished.ts";
import { guardUser } from "./user-guard.ts";

const GROUPS: Readonly<Record<string, CommandTable>> = {
  "Ledger:": ledgerCommands,
  "Intake:": intakeCommands,
  "Review:": deskCommands,
  "Releases:": releaseCommands,
  "Service:": serviceCommands,
};

/** The command line of the operator, with only the command `name` fully defined: loading all of them takes two seconds. */
async function presenceProgram(context: CommandContext, name: string): Promise<Command> {
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
      guardUser(command, context, { need: user, typed: process.argv.slice(2) });
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

tellUnfinished();
const stderr = outputTo(process.stderr);

// A reader may close the output early, as `head` does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 1);
});

try {
  enterEnvironment(process.argv.slice(2), (line) => stderr.write(line));
  const context: CommandContext = {
    config: readConfig(),
    project: join(import.meta.dirname, "../.."),
    clock: systemClock,
    random: systemRandom,
    user: systemUser(),
    stdout: outputTo(process.stdout),
    stderr,
  };
  const [first = "", second = ""] = process.argv.slice(2);
  const program = await presenceProgram(context, first === "help" ? second : first);
  await program.parseAsync();
} catch (error) {
  // Commander has already printed its message, or the help.
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else {
    for (const line of failureLines(error)) stderr.write(line);
    process.exitCode = error instanceof ExitError ? error.exitCode : 1;
  }
}
