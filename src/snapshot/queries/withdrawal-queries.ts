import type { Database } from "better-sqlite3";
import { erasures } from "../tables/decisions.ts";
import { selection, values } from "../tables/selection.ts";

const WITHDRAWAL = selection(erasures.columns, "kind");

export function withdrawalQueries(db: Database) {
  const count = values<[], number>(db, "SELECT count(*) FROM erasures");
  return {
    /** Erased rows after a position, in the order of the rows that erased them. */
    withdrawals: WITHDRAWAL.prepare<[erasedBy: number, row: number, limit: number]>(
      db,
      "FROM erasures WHERE (erased_by, row) > (?, ?) ORDER BY erased_by, row LIMIT ?",
    ).all,
    withdrawalCount: () => count.get() ?? 0,
  };
}
