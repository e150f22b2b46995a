import { hasErrorCode, OperatorError } from "../kernel/errors.ts";

/** What the command line says when a command fails: a defect shows its stack, everything else a text for the operator. */
export function failureText(error: unknown): string {
  if (error instanceof OperatorError) return `presence: ${error.message}`;
  if (!(error instanceof Error)) return String(error);
  if (!isDiskFull(error)) return error.stack ?? error.message;
  return `presence: a disk is full (${error.message}): what was acknowledged is kept, and the release before stays; free some space and run it again`;
}

/** Told by SQLite, by the system, or in the words of another program that the build started. */
export function isDiskFull(error: Error): boolean {
  return (
    hasErrorCode(error, "SQLITE_FULL") ||
    hasErrorCode(error, "SQLITE_IOERR_SHMSIZE") || // even a reader needs 32 kB beside the ledger
    hasErrorCode(error, "ENOSPC") ||
    /ENOSPC|no space left on device/i.test(error.message)
  );
}
