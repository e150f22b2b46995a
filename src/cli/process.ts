import { existsSync, writeSync } from "node:fs";
import { commandVariables, parseEnvironmentFile } from "../kernel/config/environment.ts";
import { OperatorError } from "../kernel/errors.ts";
import { readNamedFile } from "../kernel/files/foreign-file.ts";

export const ENVIRONMENT_OPTION = "--environment-file";

/**
 * Starts the program anew in the place of this process, with the variables of files as systemd reads them (the last value of a name counts), and none of the caller's settings. Returns
 * unless the command line begins with the option. Throws OperatorError for a file that cannot be read.
 */
export function enterEnvironment(args: readonly string[], say: (line: string) => void): void {
  let rest = args;
  const env = commandVariables();
  while (rest[0] === ENVIRONMENT_OPTION) {
    Object.assign(env, variablesOf(rest[1], say));
    rest = rest.slice(2);
  }
  if (rest === args) return;
  const [program = ""] = process.argv.slice(1);
  process.execve?.(process.execPath, [process.execPath, program, ...rest], env);
}

/** A file whose name begins with `-` may be missing. */
function variablesOf(named: string | undefined, say: (line: string) => void): Record<string, string> {
  if (named === undefined) throw new OperatorError(`${ENVIRONMENT_OPTION} needs a file`);
  const file = named.replace(/^-/, "");
  if (file !== named && !existsSync(file)) return {};
  const { variables, ignoredLines } = parseNamed(file);
  for (const line of ignoredLines)
    say(`WARNING: ${file}, line ${line}: not a NAME=value that systemd accepts, so it has no effect`);
  return Object.fromEntries(variables);
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

/** No command ends in the middle without a word: what it had not done yet was not done. */
export function reportUnfinished(): void {
  process.once("exit", (code) => {
    if (code !== UNSETTLED) return;
    writeSync(
      process.stderr.fd,
      "presence: the command stopped before it was done: it waited for an event that could no longer come. This is a defect of the program: report it, check with `presence doctor`, and run the command again\n",
    );
    process.exitCode = 1;
  });
}

/** Resolves when the process is asked to stop. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGTERM", resolve);
    process.once("SIGINT", resolve);
  });
}
