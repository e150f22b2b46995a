import type { Database } from "better-sqlite3";
import { findIndustry } from "../../contract/cities/industry.ts";
import {
  CitySort,
  type ClaimState,
  type GateStatus,
  type OnlinePresence,
  type RankingState,
} from "../../contract/enums.ts";
import { integer, type Selected, selection, text } from "../../kernel/table.ts";
import { type CityRow, claimStateSql, RECORD } from "../rows.ts";
import { cities } from "../tables/cities.ts";

/** Active records of one exact ISIC code. */
const INDUSTRY_COUNT = selection({
  code: text().as("industry"),
  records: integer().as("count(*)"),
});

const sumOf = (gate: GateStatus) => integer().as(`coalesce(sum(gate_status = '${gate}'), 0)`);
const COUNTED = selection({
  eligible: sumOf("eligible"),
  evidence_building: sumOf("evidence_building"),
  integrity_review: sumOf("integrity_review"),
});
const WHOLE = selection({ rankingSummary: cities.columns.rankingSummary });

interface CityIndexFilters {
  readonly industry?: string | undefined; // an ISIC code with all below it, or a section letter
  readonly onlinePresence?: OnlinePresence | undefined;
  readonly rankingState?: RankingState | undefined;
  readonly claimState?: ClaimState | undefined; // `claimed` includes verified records
}

interface SortedIndexFilters extends CityIndexFilters {
  readonly sort?: CitySort | undefined; // `rank` unless given: ranked first, then by provisional score
}

export function cityIndexQueries(db: Database) {
  const pages = new Map(CitySort.options.map((sort) => [sort, pageStatement(db, sort)]));
  const counted = COUNTED.prepare<[object]>(db, `FROM records WHERE ${inIndex("rank")}`);
  const whole = WHOLE.prepare<[slug: string]>(db, "FROM cities WHERE slug = ?");
  /** One pass over the index of ranks. The whole index of a city was counted when it was written. */
  const summaryOf = (slug: string, filters: CityIndexFilters): CityRow["rankingSummary"] => {
    const bound = boundFilters(filters);
    const isWhole = Object.values(bound).every((value) => value === null);
    const summary = isWhole ? whole.get(slug)?.rankingSummary : counted.get({ ...bound, city: slug });
    return summary ?? { eligible: 0, evidence_building: 0, integrity_review: 0 };
  };
  return {
    /** Active records of a city, in order; `offset` counts rows under the same filters and sort. */
    cityIndexPage: (
      city: string,
      { sort = "rank", ...filters }: SortedIndexFilters,
      offset: number,
      limit: number,
    ) => pages.get(sort)?.all({ ...boundFilters(filters), city, offset, limit }) ?? [],
    /** Active records of a city under the same filters, by the status of their ranking gate. */
    cityIndexSummary: summaryOf,
    cityIndexCount(slug: string, filters: CityIndexFilters) {
      const { eligible, evidence_building, integrity_review } = summaryOf(slug, filters);
      return eligible + evidence_building + integrity_review;
    },
    industryCounts: industryCounts(db),
  };
}

function boundFilters({ industry, onlinePresence, rankingState, claimState }: CityIndexFilters) {
  return {
    industry: industryValue(industry),
    online: onlinePresence ?? null,
    state: rankingState ?? null,
    claim: claimState ?? null,
  };
}

function pageStatement(db: Database, sort: CitySort) {
  return RECORD.prepare<[object]>(
    db,
    `FROM records JOIN (${pagePositions(sort)}) ON position = found ORDER BY by_${sort}`,
  );
}

/** Each order has an index that holds the filters' columns too, so that a page costs the same in all; a test reads the plan. */
export function pagePositions(sort: CitySort): string {
  return `SELECT position AS found FROM records WHERE ${inIndex(sort)} ORDER BY by_${sort} LIMIT :limit OFFSET :offset`;
}

function inIndex(sort: CitySort): string {
  return `by_${sort} IS NOT NULL AND city = :city AND (:online IS NULL OR online_verdict = :online)
    AND (:state IS NULL OR ranking_state = :state) AND (:claim IS NULL OR ${claimStateSql("status")} = :claim)
    AND ${industryCondition("industry")}`;
}

/**
 * Active records of a city by their exact ISIC code; those without one are left out. Read by each page that offers industries to
 * choose from, so each city is counted once.
 */
function industryCounts(db: Database) {
  const known = new Map<string, readonly Selected<typeof INDUSTRY_COUNT>[]>();
  const counts = INDUSTRY_COUNT.prepare<[slug: string]>(
    db,
    "FROM records WHERE by_rank IS NOT NULL AND city = ? AND industry IS NOT NULL GROUP BY industry ORDER BY industry",
  );
  return (slug: string) => {
    const counted = known.get(slug) ?? counts.all(slug);
    if (counted.length > 0) known.set(slug, counted); // an unknown name must not fill the memory
    return counted;
  };
}

/**
 * SQL condition: the bound `:industry` is null, or the row's ISIC code is that code or below it. A section letter is compared
 * with the column `industry_section`; below a division or group lie the codes that begin with its digits (":" follows "9").
 */
export function industryCondition(column: string): string {
  const section = column.replace(/industry$/, "industry_section");
  return `(:industry IS NULL OR ${section} = :industry OR (${column} >= :industry AND ${column} < :industry || ':'))`;
}

const NO_INDUSTRY = "unknown";

/** The value to bind for a filter: null for none, and one that no row has for what is not an ISIC code. */
export function industryValue(filter: string | undefined): string | null {
  if (filter === undefined) return null;
  return findIndustry(filter) === undefined ? NO_INDUSTRY : filter;
}
