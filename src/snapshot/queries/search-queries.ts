import type { Database } from "better-sqlite3";
import { json, selection } from "../../kernel/table.ts";
import { RECORD } from "../rows.ts";
import { openSearch, type SearchPage } from "../search/search.ts";
import type { SearchSource } from "../search/search-index.ts";
import { records } from "../tables/records.ts";

const { position, name, city, industry, onlineVerdict, website } = records.columns;

/** Of each type of fixed asset, the cells. */
const fixedCells = json<readonly (readonly string[])[]>().as(
  `(SELECT json_group_array(json(f.cells)) FROM explorer_facts f WHERE f.record = records.id AND EXISTS (
     SELECT 1 FROM assets a WHERE a.record = f.record AND a.asset_type = f.asset_type AND NOT a.is_mobile
   ))`,
);

const SOURCE = selection({
  position,
  name,
  city,
  industry,
  onlinePresence: onlineVerdict,
  website,
  fixedCells,
});

/** Records read at once: so many are in memory. */
const PAGE = 1000;

/** Input of the search index: listed records, merged ones left out, by position. Footprints leave out rejected observations. */
export function* searchSources(db: Database): Generator<SearchSource> {
  const following = SOURCE.prepare<[position: number]>(
    db,
    `FROM records WHERE merged_into IS NULL AND position > ? ORDER BY position LIMIT ${PAGE}`,
  );
  let after = 0;
  for (let page = following.all(after); page.length > 0; page = following.all(after))
    for (const source of page) {
      yield { ...source, fixedCells: source.fixedCells.flat() };
      after = source.position;
    }
}

export function searchQueries(db: Database) {
  const { find, count } = openSearch(db);
  const byPosition = RECORD.prepare<[position: number]>(db, "FROM records WHERE position = ?");
  return {
    /** Records by name and facets, in display order (with `same`: the exact name first). */
    search: (page: SearchPage) => find(page).flatMap((position) => byPosition.get(position) ?? []),
    /** How many records match; counting stops at `max`. */
    searchCount: count,
  };
}
