import type { Command } from "@commander-js/extra-typings";
import { OperatorError } from "../kernel/errors.ts";
import type { NeededUser } from "../operations/acting-user.ts";
import type { CommandContext } from "../operations/context.ts";

/** A command's file: its arguments and options, and what it does. */
export interface CommandModule {
  define(command: Command, context: CommandContext): void;
}

/** Commands by name, each with its line in the help; a module is loaded only when its command is run. Unless it says otherwise, the owner of the home runs it. */
export type CommandTable = Readonly<
  Record<string, readonly [summary: string, load: () => Promise<CommandModule>, user?: NeededUser]>
>;

export const JSON_OPTION = ["--json", "print the result as JSON"] as const;
export const CLOCK_OPTION = [
  "--clock <time>",
  "time of the ledger rows; not for production ledgers",
] as const;
export const VKEY_OPTION = [
  "--vkey <key>",
  "a verification key of the log that you know from elsewhere",
] as const;

/** A parser of an argument or option. Throws OperatorError unless its text is a whole number from 1 to `max`. */
export function whole(name: string, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^[1-9][0-9]{0,14}$/.test(text) && number <= max) return number;
    const range = max === Number.MAX_SAFE_INTEGER ? "from 1" : `from 1 to ${max}`;
    throw new OperatorError(`${name} must be a whole number ${range} (got ${text})`);
  };
}

/** Resolves when the process is asked to stop. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGTERM", resolve);
    process.once("SIGINT", resolve);
  });
}
