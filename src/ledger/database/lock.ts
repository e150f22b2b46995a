import { openDatabaseFile } from "../../kernel/database-file.ts";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { reserveSecret } from "../../kernel/files/secret-file.ts";

/**
 * An exclusive lock that dies with its process: a write transaction held open on a small SQLite file of its own, so that the
 * operating system releases it even after kill -9, and readers of the ledger never meet it. The file's `user_version` tells
 * the holder's process id.
 */
export interface Lock extends Disposable {
  release(): void;
}

/** How long a reader may hold the file. */
const READER_MS = 1000;

/** Another process has the lock. */
export class LockHeld extends OperatorError {
  readonly pid: number;

  constructor(pid: number, what: string) {
    super(`another process (pid ${pid}) is ${what}: wait until it ends, or stop it, and run again`);
    this.pid = pid;
  }
}

/** `what` completes "another process (pid 7) is …". Throws LockHeld when the lock is still held after `waitMs`. */
export function acquireLock(path: string, what: string, waitMs = 0): Lock {
  reserveSecret(path);
  const database = openDatabaseFile(path, { timeout: Math.max(waitMs, READER_MS) });
  try {
    database.pragma(`busy_timeout = ${waitMs}`);
    database.pragma("journal_mode = MEMORY"); // a kill leaves no other file
    database.pragma("synchronous = OFF"); // nothing in this file has to survive a power cut
    database.exec("BEGIN IMMEDIATE");
    // The lock is taken; a reader of the file may still delay the commit briefly.
    database.pragma(`busy_timeout = ${Math.max(waitMs, READER_MS)}`);
    database.pragma(`user_version = ${process.pid}`);
    database.exec("COMMIT; BEGIN IMMEDIATE");
  } catch (error) {
    // The holder may be writing its id at this moment.
    database.pragma(`busy_timeout = ${READER_MS}`);
    const holder = hasErrorCode(error, "SQLITE_BUSY")
      ? database.pragma("user_version", { simple: true })
      : undefined;
    database.close();
    if (holder === undefined) throw error;
    throw new LockHeld(Number(holder), what);
  }
  const release = () => void database.close();
  return { release, [Symbol.dispose]: release };
}
