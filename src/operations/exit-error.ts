import { OperatorError } from "../kernel/errors.ts";

/** An end that scripts must be able to tell from a plain failure. */
export class ExitError extends OperatorError {
  readonly exitCode: number;

  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
