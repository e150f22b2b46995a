import type { Database } from "better-sqlite3";
import { selection, values } from "../../kernel/table.ts";
import { erasures } from "../tables/decisions.ts";

const WITHDRAWAL = selection(erasures.columns);

const RECORDS_OF_ROWS = `WITH erased AS (SELECT value AS id FROM json_each(?))
  SELECT records.public_id FROM records WHERE id IN erased
  UNION SELECT records.public_id FROM assets JOIN records ON records.id = assets.record WHERE assets.id IN erased
  UNION SELECT records.public_id FROM records JOIN observation_pages ON seq >= observations_from AND seq < observations_from + row_count
  WHERE EXISTS (SELECT 1 FROM json_each(observation_pages.rows) WHERE value IN erased)`;

export function withdrawalQueries(db: Database) {
  const count = values<[], number>(db, "SELECT count(*) FROM erasures");
  const recordsOfRows = values<[rows: string], string>(db, RECORDS_OF_ROWS);
  return {
    /** Erased rows after a position, in the order of the rows that erased them. */
    withdrawals: WITHDRAWAL.prepare<[erasedBy: number, row: number, limit: number]>(
      db,
      "FROM erasures WHERE (erased_by, row) > (?, ?) ORDER BY erased_by, row LIMIT ?",
    ).all,
    /** Public ids of the records that any of these ledger rows is about: their own, their assets' and their observations'. Reads all observations. */
    recordsWith: (rows: readonly number[]) =>
      rows.length === 0 ? [] : recordsOfRows.all(JSON.stringify(rows)),
    withdrawalCount: () => count.get() ?? 0,
  };
}
