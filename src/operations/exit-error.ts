import { OperatorError } from "../kernel/errors.ts";

/** A failure with an exit code of its own, for scripts. */
export class ExitError extends OperatorError {
  readonly exitCode: number;

  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
