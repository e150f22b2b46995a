import type { Database } from "better-sqlite3";
import { json, selection } from "../../kernel/table.ts";
import { RECORD } from "../rows.ts";
import { openIndex, openSearch, type SearchPage } from "../search/search.ts";
import type { SearchSource } from "../search/search-index.ts";
import { type CityNames, cityNames, findSimilar, type SimilarQuery } from "../search/similar-names.ts";
import { cities } from "../tables/cities.ts";
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

const { slug, name: cityName, region, regionCode, country, countryName } = cities.columns;
const CITIES = selection({ slug, name: cityName, region, regionCode, country, countryName });

export function searchQueries(db: Database) {
  const index = openIndex(db);
  const { find, count } = openSearch(db, index);
  const byPosition = RECORD.prepare<[position: number]>(db, "FROM records WHERE position = ?");
  const named = CITIES.prepare(db, "FROM cities");
  let known: CityNames | undefined;
  const ofPositions = (positions: readonly number[]) =>
    positions.flatMap((position) => byPosition.get(position) ?? []);
  return {
    /** Records by name and facets, in display order (with `same`: the exact name first). */
    search: (page: SearchPage) => ofPositions(find(page)),
    /** How many records match; counting stops at `max`. */
    searchCount: count,
    /** At most `max` records whose names look like one that matches nothing, the most alike first; none that was dissolved. */
    similar(query: SimilarQuery, max: number) {
      known ??= cityNames(named.all());
      return ofPositions(findSimilar(index, known, query, 2 * max))
        .filter(({ recordStatus }) => recordStatus !== "dissolved")
        .slice(0, max);
    },
  };
}
