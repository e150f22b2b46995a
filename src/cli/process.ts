import { existsSync, fstatSync } from "node:fs";
import { resolve } from "node:path";
import { settingNames } from "../kernel/config/config.ts";
import { commandVariables, parseEnvironmentFile } from "../kernel/config/environment.ts";
import { SETTINGS_VARIABLE } from "../kernel/config/settings-file.ts";
import { unknownSettings } from "../kernel/config/unknown-settings.ts";
import { OperatorError } from "../kernel/errors.ts";
import { readNamedFile } from "../kernel/files/foreign-file.ts";
import { failureLines } from "../operations/failure-text.ts";

export const SETTINGS_OPTION = "--settings";
export const ENVIRONMENT_OPTION = "--environment-file";

/**
 * Starts the program anew in the place of this process, with the settings file, with the variables of files as systemd reads them (the last value of a name
 * counts), and none of the caller's settings. Returns unless the command line begins with one of the options. Throws OperatorError for a file that cannot be read, and for
 * a name that is no setting.
 */
export function enterEnvironment(args: readonly string[], say: (line: string) => void): void {
  let rest = args;
  const env = commandVariables();
  for (; rest[0] === ENVIRONMENT_OPTION || rest[0] === SETTINGS_OPTION; rest = rest.slice(2)) {
    const [option, file] = rest;
    if (file === undefined) throw new OperatorError(`${option} needs a file`);
    if (option === SETTINGS_OPTION) env[SETTINGS_VARIABLE] = resolve(file);
    else Object.assign(env, variablesOf(file, say));
  }
  if (rest === args) return;
  const [program = ""] = process.argv.slice(1);
  process.execve?.(process.execPath, [process.execPath, program, ...rest], env);
}

/** A file whose name begins with `-` may be missing. */
function variablesOf(named: string, say: (line: string) => void): Record<string, string> {
  const file = named.replace(/^-/, "");
  if (file !== named && !existsSync(file)) return {};
  const { variables, ignoredLines } = parseNamed(file);
  for (const line of ignoredLines)
    say(`WARNING: ${file}, line ${line}: not a NAME=value that systemd accepts, so it has no effect`);
  const [unknown] = unknownSettings(variables.keys(), settingNames());
  if (unknown === undefined) return Object.fromEntries(variables);
  throw new OperatorError(
    `${file}: ${unknown.name} is not a setting: ${unknown.hint ?? "correct or remove it; a variable for a program of your own begins with HOOK_"}`,
  );
}

function parseNamed(file: string) {
  try {
    return parseEnvironmentFile(readNamedFile(file, ENVIRONMENT_OPTION));
  } catch (error) {
    if (!(error instanceof OperatorError) || error.message.startsWith(ENVIRONMENT_OPTION)) throw error;
    throw new OperatorError(`${file}, ${error.message}`, { cause: error });
  }
}

/** The code with which Node ends a program that waits for something that can come no more. */
const UNSETTLED = 13;
/** The usual exit code for an output that is gone (EX_IOERR). */
const OUTPUT_LOST = 74;

type Say = (line: string) => void;

/**
 * No process ends without a line that says why. What no program can say of itself (SIGKILL, a full memory, a call that a filter forbids) systemd
 * writes into the journal of the unit.
 */
export function reportEnds(say: Say): void {
  reportUnfinished(say);
  process.on("uncaughtException", (error, origin) => {
    say(
      `presence: stopped by an unhandled ${origin === "unhandledRejection" ? "rejection" : "error"}. This is a defect of the program: report it with these lines, and check with \`presence doctor\``,
    );
    for (const line of failureLines(error)) say(line);
    process.exit(1);
  });
  const onTerm = () => {
    if (process.listenerCount("SIGTERM") > 1) return; // the command ends in its own way
    say("presence: stopped by SIGTERM before the command was done: its work so far is kept; run it again");
    process.removeListener("SIGTERM", onTerm);
    process.kill(process.pid, "SIGTERM");
  };
  process.on("SIGTERM", onTerm);
}

/** No command ends in the middle without a word: what it had not done yet was not done. */
function reportUnfinished(say: Say): void {
  process.once("exit", (code) => {
    if (code !== UNSETTLED) return;
    say(
      "presence: the command stopped before it was done: it waited for an event that could no longer come. This is a defect of the program: report it, check with `presence doctor`, and run the command again",
    );
    process.exitCode = 1;
  });
}

/** Ends the program when its output is gone. A reader of a pipe may close it early, as `head` does; a journal may not. */
export function endWithOutput(
  stdout: NodeJS.WriteStream & { readonly fd: number },
  stderr: NodeJS.WriteStream,
  say: Say,
): void {
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" && fstatSync(stdout.fd).isFIFO()) process.exit(0);
    say(`presence: ended because standard output cannot be written: ${error.message}`);
    process.exit(OUTPUT_LOST);
  });
  stderr.on("error", () => process.exit(OUTPUT_LOST));
}

const STOPS = ["SIGTERM", "SIGINT"] as const;

/** Resolves with the signal by which the process is asked to stop. */
export async function untilStopped(): Promise<(typeof STOPS)[number]> {
  const { promise, resolve } = Promise.withResolvers<(typeof STOPS)[number]>();
  for (const signal of STOPS) process.once(signal, () => resolve(signal));
  return await promise;
}
