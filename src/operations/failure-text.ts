import { hasErrorCode, OperatorError, type OperatorErrorOptions } from "../kernel/errors.ts";

const ACCESS =
  "this user may not do that: `presence doctor` checks owners and modes, and prints the lines that correct them";
const DATABASE = "`presence doctor` says which database it is; restore it from your backup";
const UNREACHABLE = "no response from that address: check the setting that names it, and the network";

/** What an operator does about an error of the system or of SQLite, by its code or the beginning of that. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: ACCESS,
  EPERM: ACCESS,
  EROFS: "the file system is read-only: mount it for writing; in a unit, name the folder in ReadWritePaths",
  ENOENT: "file or folder not found: check the name and the settings",
  ENOTDIR: "a file lies where a folder is needed: move it away, or change the setting that names it",
  EISDIR: "a folder lies where a file is needed: move it away, or change the setting that names it",
  EEXIST: "a file already exists there: move it away",
  ENOTEMPTY: "the folder is not empty: move its content away",
  ELOOP: "links form a loop: correct them",
  ENAMETOOLONG: "the name is too long for this file system: choose a shorter one",
  EMFILE: "too many files are open: raise the limit (LimitNOFILE in a unit, ulimit -n)",
  ENFILE: "too many files are open on this machine: raise fs.file-max",
  EDQUOT: "the disk quota of this user is used up: raise it, or free some space",
  EIO: "the disk fails: read the system's log, and restore the newest backup to another disk",
  EADDRINUSE: "another program uses this port: stop it, or set another port",
  EADDRNOTAVAIL: "this machine does not have that address: correct the setting",
  ECONNREFUSED: UNREACHABLE,
  ENOTFOUND: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  SQLITE_CANTOPEN: ACCESS,
  SQLITE_READONLY: ACCESS,
  SQLITE_PERM: ACCESS,
  SQLITE_AUTH: ACCESS,
  SQLITE_BUSY: "another process holds the database: wait until it ends, and run the command again",
  SQLITE_LOCKED: "another process holds the database: wait until it ends, and run the command again",
  SQLITE_CORRUPT: DATABASE,
  SQLITE_NOTADB: DATABASE,
  SQLITE_IOERR:
    "the disk fails, or the path is not a database: `presence doctor` checks the ledger, and the system's log names the disk",
};

/** What the command line prints for an error, line by line: a message for the operator, or the stack of a defect. */
export function failureLines(error: unknown): string[] {
  if (error instanceof OperatorError)
    return error.lines.map((line, at) => (at === 0 ? `presence: ${line}` : line));
  const text = failureText(error);
  const calls = error instanceof Error ? (error.stack?.match(/(?:\n {4}at .*)+$/)?.[0] ?? "") : "";
  return text.endsWith(calls)
    ? [text.slice(0, text.length - calls.length), ...calls.split("\n").slice(1)]
    : [text];
}

/** The same in one text. */
export function failureText(error: unknown): string {
  if (error instanceof OperatorError) return `presence: ${error.message}`;
  if (!(error instanceof Error)) return String(error);
  if (isDiskFull(error))
    return `presence: a disk is full (${error.message}): acknowledged rows are kept, and the previous release stays published; free some space and run the command again`;
  const remedy = remedyFor(error);
  return remedy === undefined ? (error.stack ?? error.message) : `presence: ${error.message}: ${remedy}`;
}

function remedyFor(error: Error): string | undefined {
  const code = codeOf(error);
  // SQLite's further codes begin with the plain one: SQLITE_READONLY_DBMOVED.
  return REMEDIES[code] ?? REMEDIES[code.split("_").slice(0, 2).join("_")];
}

/** An error that comes from another thread may have its code in the message alone. */
function codeOf(error: Error): string {
  if ("code" in error && typeof error.code === "string") return error.code;
  return /^(E[A-Z]+): /.exec(error.message)?.[1] ?? "";
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

/** A failure with an exit code of its own, for scripts. */
export class ExitError extends OperatorError {
  readonly exitCode: number;

  constructor(exitCode: number, message: string, options?: OperatorErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
