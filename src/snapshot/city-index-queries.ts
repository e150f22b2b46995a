import type { Database } from "better-sqlite3";
import { CitySort, type OnlinePresence } from "../contract/enums.ts";
import { industryCondition, industryValue } from "./industry-filter.ts";
import { RECORD_COLUMNS, recordRow, type StoredRecord } from "./record-queries.ts";
import type { IndustryCountRow, RecordRow } from "./rows.ts";

interface CityIndexFilters {
  readonly industry?: string | undefined; // an ISIC code with all below it, or a section letter
  readonly onlinePresence?: OnlinePresence | undefined;
}

interface SortedIndexFilters extends CityIndexFilters {
  readonly sort?: CitySort | undefined; // `rank` unless given: ranked first, then by provisional score
}

export interface CityIndexQueries {
  /** Active records of a city, in order; `offset` counts rows under the same filters and sort. */
  cityIndexPage(slug: string, filters: SortedIndexFilters, offset: number, limit: number): RecordRow[];
  cityIndexCount(slug: string, filters: CityIndexFilters): number;
  /** Active records of a city by their exact ISIC code; those without one are left out. */
  industryCounts(slug: string): readonly IndustryCountRow[];
}

export function cityIndexQueries(db: Database): CityIndexQueries {
  const pages = new Map(CitySort.options.map((sort) => [sort, pageStatement(db, sort)]));
  const count = db.prepare<object, number>(`SELECT count(*) FROM records WHERE ${inIndex("rank")}`).pluck();
  const bound = (city: string, { industry, onlinePresence }: CityIndexFilters) => ({
    city,
    industry: industryValue(industry),
    online: onlinePresence ?? null,
  });
  return {
    cityIndexPage: (slug, { sort = "rank", ...filters }, offset, limit) =>
      (pages.get(sort)?.all({ ...bound(slug, filters), offset, limit }) ?? []).map(recordRow),
    cityIndexCount: (slug, filters) => count.get(bound(slug, filters)) ?? 0,
    industryCounts: industryCounts(db),
  };
}

function pageStatement(db: Database, sort: CitySort) {
  return db.prepare<object, StoredRecord>(
    `SELECT ${RECORD_COLUMNS} FROM records JOIN (${pagePositions(sort)}) ON position = found ORDER BY by_${sort}`,
  );
}

/** Each order has an index that holds the filters' columns too, so that a page costs the same in all; a test reads the plan. */
export function pagePositions(sort: CitySort): string {
  return `SELECT position AS found FROM records WHERE ${inIndex(sort)} ORDER BY by_${sort} LIMIT :limit OFFSET :offset`;
}

function inIndex(sort: CitySort): string {
  return `by_${sort} IS NOT NULL AND city = :city AND (:online IS NULL OR online_verdict = :online)
    AND ${industryCondition("industry")}`;
}

/** Read by each page that offers industries to choose from, so each city is counted once. */
function industryCounts(db: Database): CityIndexQueries["industryCounts"] {
  const known = new Map<string, readonly IndustryCountRow[]>();
  const counts = db.prepare<[string], IndustryCountRow>(
    `SELECT industry AS code, count(*) AS records FROM records
     WHERE by_rank IS NOT NULL AND city = ? AND industry IS NOT NULL GROUP BY industry ORDER BY industry`,
  );
  return (slug) => {
    const counted = known.get(slug) ?? counts.all(slug);
    if (counted.length > 0) known.set(slug, counted); // an unknown name must not fill the memory
    return counted;
  };
}
