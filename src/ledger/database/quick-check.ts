import { openDatabase } from "./meta.ts";

const MOST = 5;

/** What SQLite itself finds wrong with the file, a few words each; none for one that is sound. Reads the whole file once. */
export function ledgerDamage(path: string): string[] {
  const { database } = openDatabase(path, { readonly: true });
  try {
    const found = database.prepare<[], string>(`PRAGMA quick_check(${MOST})`).pluck().all();
    return found.filter((line) => line !== "ok");
  } finally {
    database.close();
  }
}
