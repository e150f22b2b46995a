import type { Database } from "better-sqlite3";
import type { RecordRow } from "../rows.ts";
import { openSearch, type SearchFilters, type SearchPage } from "../search/search.ts";
import type { SearchSource } from "../search/search-index.ts";
import { RECORD_COLUMNS, recordRow, type StoredRecord } from "./record-queries.ts";

/** `fixedCells` is JSON: a list of the cells of each type of fixed asset. */
interface StoredSource extends Omit<SearchSource, "fixedCells"> {
  readonly fixedCells: string;
}

/** Input of the search index: listed records, merged ones left out, by position. Footprints leave out rejected observations. */
export function* searchSources(db: Database): Generator<SearchSource> {
  const stored = db
    .prepare<[], StoredSource>(
      `SELECT position, name, city, industry, online_verdict AS onlinePresence, website,
         (SELECT json_group_array(json(f.cells)) FROM explorer_facts f WHERE f.record = r.id AND EXISTS (
           SELECT 1 FROM assets a WHERE a.record = f.record AND a.asset_type = f.asset_type AND NOT a.is_mobile
         )) AS fixedCells
       FROM records r WHERE merged_into IS NULL ORDER BY position`,
    )
    .all();
  for (const source of stored) {
    const cells: readonly (readonly string[])[] = JSON.parse(source.fixedCells);
    yield { ...source, fixedCells: cells.flat() };
  }
}

export interface SearchQueries {
  /** Records by name and facets, in display order (with `same`: the exact name first). */
  search(page: SearchPage): RecordRow[];
  /** How many records match; counting stops at `max`. */
  searchCount(filters: SearchFilters, max: number): number;
}

export function searchQueries(db: Database): SearchQueries {
  const { find, count } = openSearch(db);
  const byPosition = db.prepare<[number], StoredRecord>(
    `SELECT ${RECORD_COLUMNS} FROM records WHERE position = ?`,
  );
  return {
    search: (page) =>
      find(page).flatMap((position) => {
        const stored = byPosition.get(position);
        return stored === undefined ? [] : [recordRow(stored)];
      }),
    searchCount: count,
  };
}
