import { OperatorError } from "../kernel/errors.ts";

/** The state cannot be used through this connection any more: its files were replaced, removed or damaged. */
export class StateLost extends OperatorError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StateLost";
  }
}

/** What SQLite answers for a file, or a write-ahead log, that does not hold what it should. */
const DAMAGE = /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ|READONLY_DBMOVED)/;

/** An error of SQLite that says that the file is damaged; undefined for every other error. */
export function damageOf(error: unknown, path: string): StateLost | undefined {
  if (!(error instanceof Error && "code" in error && DAMAGE.test(String(error.code)))) return undefined;
  return new StateLost(
    `${path}: the database is damaged (${error.message}): stop the server and every worker, keep this file, and restore the newest backup`,
    { cause: error },
  );
}
