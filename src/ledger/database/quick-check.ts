import { openDatabase } from "./open-ledger.ts";

const MAX_PROBLEMS = 5;

/** Problems that SQLite finds in the file, a few words each; empty for a sound file. Reads the whole file once. */
export function ledgerDamage(path: string): string[] {
  const { database } = openDatabase(path);
  try {
    const problems = database.prepare<[], string>(`PRAGMA quick_check(${MAX_PROBLEMS})`).pluck().all();
    return problems.filter((line) => line !== "ok");
  } finally {
    database.close();
  }
}
