import { chmodSync } from "node:fs";
import { openDatabaseFile } from "../../kernel/database-file.ts";
import { SECRET_MODE } from "../../kernel/files/secret-file.ts";

const PAGES_A_STEP = 1000;

/** Whether SQLite says that it cannot read what a database holds. */
export function isDamage(error: unknown): error is Error {
  return error instanceof Error && "code" in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code));
}

/** Copies a database in use, as of one moment, with SQLite's own backup, to one file that only its owner may read. */
export async function copyDatabase(
  from: string,
  to: string,
  onProgress: (pages: number, total: number) => void,
): Promise<void> {
  const source = openDatabaseFile(from, { readonly: true });
  try {
    // Without a read transaction the copy would restart whenever another process writes, and might never end.
    source.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
    await source.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress(totalPages - remainingPages, totalPages);
        return PAGES_A_STEP;
      },
    });
  } finally {
    source.close();
  }
  settleDatabase(to);
  chmodSync(to, SECRET_MODE);
}

/** Moves the write-ahead log of a closed database into its file. */
export function settleDatabase(path: string): void {
  const database = openDatabaseFile(path);
  try {
    database.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
}
