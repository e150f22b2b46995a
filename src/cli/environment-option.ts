import { commandVariables } from "../kernel/config/environment.ts";
import { parseEnvironmentFile } from "../kernel/config/environment-file.ts";
import { OperatorError } from "../kernel/errors.ts";
import { readNamedFile } from "../kernel/files/named-file.ts";

export const ENVIRONMENT_OPTION = "--environment-file";

/**
 * Starts the program anew in the place of this process, with the variables of a file as systemd reads it, and none of the caller's settings. Returns
 * unless the command line begins with the option. Throws OperatorError for a file that cannot be read.
 */
export function enterEnvironment(
  [option, file, ...rest]: readonly string[],
  say: (line: string) => void,
): void {
  if (option !== ENVIRONMENT_OPTION) return;
  if (file === undefined) throw new OperatorError(`${ENVIRONMENT_OPTION} needs a file`);
  const { variables, ignoredLines } = parseNamed(file);
  for (const line of ignoredLines)
    say(`WARNING: ${file}, line ${line}: not a NAME=value that systemd accepts, so it has no effect`);
  const [program = ""] = process.argv.slice(1);
  const env = { ...commandVariables(), ...Object.fromEntries(variables) };
  process.execve?.(process.execPath, [process.execPath, program, ...rest], env);
}

function parseNamed(file: string) {
  try {
    return parseEnvironmentFile(readNamedFile(file, ENVIRONMENT_OPTION));
  } catch (error) {
    if (!(error instanceof OperatorError) || error.message.startsWith(ENVIRONMENT_OPTION)) throw error;
    throw new OperatorError(`${file}, ${error.message}`, { cause: error });
  }
}
