/** The only errors whose text may leave the process. All others are defects: logged, and shown as a fixed text. */

/** An answer to a remote caller: HTTP status, the `error` text, and further members of the JSON error body. */
export class PublicError extends Error {
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: number, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = "PublicError";
    this.status = status;
    this.details = details;
  }
}

/** A message for the operator: what was wrong, where, and what to do. The command line prints it without a stack. */
export class OperatorError extends Error {
  readonly lines: readonly string[]; // of the message

  /** `lines` follow `message`, which is one line, whatever it quotes. */
  constructor(message: string, { lines = [], ...options }: OperatorErrorOptions = {}) {
    super([message, ...lines].join("\n"), options);
    this.name = "OperatorError";
    this.lines = [message, ...lines];
  }
}

export interface OperatorErrorOptions extends ErrorOptions {
  readonly lines?: readonly string[];
}

/** Narrows a thrown value to a system error with the given code, for example `ENOENT`. */
export function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** A thrown value for a log: its class, and the code of its system or database. Omits its message, which may quote private values. */
export function faultName(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error ? `${error.name} ${String(error.code)}` : error.name;
}
