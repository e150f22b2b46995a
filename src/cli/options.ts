/** Options and checks of what was typed that several commands share. */

import { writeFileSync } from "node:fs";
import { Option } from "@commander-js/extra-typings";
import { EmailAddress } from "../contract/accounts/alerts.ts";
import { encodingName } from "../intake/lines/decode.ts";
import { hasErrorCode, OperatorError } from "../kernel/errors.ts";

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

/** A parser of `--encoding`. */
export function encodingOption(label: string): string {
  try {
    return encodingName(label);
  } catch (cause) {
    throw new OperatorError(`--encoding ${label}: ${cause instanceof Error ? cause.message : ""}`, { cause });
  }
}

/** An option that must be given, with one of these values. */
export function choice<Flags extends string, const Value extends string>(
  flags: Flags,
  description: string,
  values: readonly Value[],
) {
  return new Option(flags, description).choices(values).makeOptionMandatory();
}

/** A parser of an option that can be given several times. */
export function collect(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}

/** A parser of an email address; `name` begins the refusal. */
export function email(name: string): (text: string) => string {
  return (text) => {
    const { data } = EmailAddress.safeParse(text);
    if (data !== undefined) return data;
    throw new OperatorError(`${name} must be one email address, such as name@example.org`);
  };
}

/** Writes the file of `--out`, for its owner alone. Refuses to replace a file, which others might be able to read. */
export function writeNewFile(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
  } catch (cause) {
    if (hasErrorCode(cause, "EEXIST"))
      throw new OperatorError(`--out ${path}: the file already exists: choose another name`, { cause });
    if (hasErrorCode(cause, "ENOENT") || hasErrorCode(cause, "EACCES"))
      throw new OperatorError(`--out ${path}: the file cannot be written: check that the folder exists`, {
        cause,
      });
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`--out ${path}: the file cannot be written (${problem})`, { cause });
  }
}
