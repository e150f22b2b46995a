import type { Database } from "better-sqlite3";
import { RECORD_COLUMNS, recordRow, type StoredRecord } from "./record-queries.ts";
import type { RecordRow } from "./rows.ts";
import { openSearch, type SearchFilters } from "./search.ts";
import type { SearchSource } from "./search-index.ts";

/** What the search index is built from: listed records, merged ones left out, by position. */
export function searchSources(db: Database): SearchSource[] {
  return db
    .prepare<[], SearchSource>(
      `SELECT position, name, city, industry, online_verdict AS onlinePresence FROM records
       WHERE merged_into IS NULL ORDER BY position`,
    )
    .all();
}

export interface SearchQueries {
  /** Records by name and facets, in display order (with `same`: the exact name first). */
  search(filters: SearchFilters): RecordRow[];
}

export function searchQueries(db: Database): SearchQueries {
  const find = openSearch(db);
  const byPosition = db.prepare<[number], StoredRecord>(
    `SELECT ${RECORD_COLUMNS} FROM records WHERE position = ?`,
  );
  return {
    search: (filters) =>
      find(filters).flatMap((position) => {
        const stored = byPosition.get(position);
        return stored === undefined ? [] : [recordRow(stored)];
      }),
  };
}
