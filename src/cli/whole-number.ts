import { OperatorError } from "../kernel/errors.ts";

/** A positive whole number given on the command line. Throws OperatorError naming the argument. */
export function wholeNumber(text: string, name: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(text)) return Number(text);
  throw new OperatorError(`${name} ${text}: expected a whole number from 1`);
}
