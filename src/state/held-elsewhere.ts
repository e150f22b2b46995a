import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { assertPlainDatabase } from "../kernel/database-file.ts";
import { OperatorError } from "../kernel/errors.ts";

/**
 * Whether another connection, of any process, has this database (in WAL mode) open. Each holds a shared lock for as long as it is open, so
 * an exclusive one is refused. Nobody is hurt by the try: it waits for nothing and holds nothing.
 */
export function isHeld(path: string): boolean {
  assertPlainDatabase(path);
  const database = new Database(path, { fileMustExist: true, timeout: 0 });
  try {
    database.pragma("locking_mode = EXCLUSIVE"); // before the first access: takes the lock of the file itself
    database.pragma("user_version");
    return false;
  } catch (error) {
    // A file that is no database, or not this user's, is for whoever opens it to name.
    return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
  } finally {
    database.close();
  }
}

/**
 * Refuses a database whose write-ahead log was removed while somebody has it open: a new log beside the index of the old one would
 * damage it. After a crash the log is still there. Throws OperatorError also where there is no database and must be one.
 */
export function assertWhole(path: string, mustExist: boolean): void {
  if (!existsSync(path)) {
    if (!mustExist) return;
    throw new OperatorError(
      `${path}: the database is gone: restore it from your backup, then start the server again`,
    );
  }
  if (existsSync(`${path}-shm`) && !existsSync(`${path}-wal`) && isHeld(path))
    throw new OperatorError(
      `${path}: its -wal file was removed while another process has the database open: stop the server and every worker, and start them again`,
    );
}
