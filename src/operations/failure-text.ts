import { hasErrorCode, OperatorError } from "../kernel/errors.ts";

/** The text that the command line prints for an error: a message for the operator, or the stack of a defect. */
export function failureText(error: unknown): string {
  if (error instanceof OperatorError) return `presence: ${error.message}`;
  if (!(error instanceof Error)) return String(error);
  if (!isDiskFull(error)) return error.stack ?? error.message;
  return `presence: a disk is full (${error.message}): acknowledged rows are kept, and the previous release stays published; free some space and run the command again`;
}

/** Recognizes errors of SQLite, of the system, and of programs that the build starts. */
export function isDiskFull(error: Error): boolean {
  return (
    hasErrorCode(error, "SQLITE_FULL") ||
    hasErrorCode(error, "SQLITE_IOERR_SHMSIZE") || // even a reader needs 32 kB next to the ledger
    hasErrorCode(error, "ENOSPC") ||
    /ENOSPC|no space left on device/i.test(error.message)
  );
}
