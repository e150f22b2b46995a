import { OperatorError, type OperatorErrorOptions } from "../kernel/errors.ts";

/** A failure with an exit code of its own, for scripts. */
export class ExitError extends OperatorError {
  readonly exitCode: number;

  constructor(exitCode: number, message: string, options?: OperatorErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
