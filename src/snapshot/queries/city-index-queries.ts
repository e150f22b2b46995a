import type { Database } from "better-sqlite3";
import { CitySort, type ClaimState, type OnlinePresence, type RankingState } from "../../contract/enums.ts";
import type { CityRow, IndustryCountRow, RecordRow } from "../rows.ts";
import { claimState } from "./claim-filter.ts";
import { industryCondition, industryValue } from "./industry-filter.ts";
import { RECORD_COLUMNS, recordRow, type StoredRecord } from "./record-queries.ts";

interface CityIndexFilters {
  readonly industry?: string | undefined; // an ISIC code with all below it, or a section letter
  readonly onlinePresence?: OnlinePresence | undefined;
  readonly rankingState?: RankingState | undefined;
  readonly claimState?: ClaimState | undefined; // `claimed` includes verified records
}

interface SortedIndexFilters extends CityIndexFilters {
  readonly sort?: CitySort | undefined; // `rank` unless given: ranked first, then by provisional score
}

export interface CityIndexQueries {
  /** Active records of a city, in order; `offset` counts rows under the same filters and sort. */
  cityIndexPage(slug: string, filters: SortedIndexFilters, offset: number, limit: number): RecordRow[];
  /** Active records of a city under the same filters, by the status of their ranking gate. */
  cityIndexSummary(slug: string, filters: CityIndexFilters): CityRow["rankingSummary"];
  cityIndexCount(slug: string, filters: CityIndexFilters): number;
  /** Active records of a city by their exact ISIC code; those without one are left out. */
  industryCounts(slug: string): readonly IndustryCountRow[];
}

export function cityIndexQueries(db: Database): CityIndexQueries {
  const pages = new Map(CitySort.options.map((sort) => [sort, pageStatement(db, sort)]));
  const bound = (city: string, { industry, onlinePresence, rankingState, claimState }: CityIndexFilters) => ({
    city,
    industry: industryValue(industry),
    online: onlinePresence ?? null,
    state: rankingState ?? null,
    claim: claimState ?? null,
  });
  const summary = summaries(db);
  const cityIndexSummary = (slug: string, filters: CityIndexFilters) => summary(bound(slug, filters));
  return {
    cityIndexPage: (slug, { sort = "rank", ...filters }, offset, limit) =>
      (pages.get(sort)?.all({ ...bound(slug, filters), offset, limit }) ?? []).map(recordRow),
    cityIndexSummary,
    cityIndexCount(slug, filters) {
      const { eligible, evidence_building, integrity_review } = cityIndexSummary(slug, filters);
      return eligible + evidence_building + integrity_review;
    },
    industryCounts: industryCounts(db),
  };
}

type BoundFilters = { readonly city: string } & Readonly<Record<string, string | null>>;

/** One pass over the index of ranks. The whole index of a city was counted when it was written. */
function summaries(db: Database): (filters: BoundFilters) => CityRow["rankingSummary"] {
  const none = { eligible: 0, evidence_building: 0, integrity_review: 0 };
  const sums = Object.keys(none).map((gate) => `coalesce(sum(gate_status = '${gate}'), 0) AS ${gate}`);
  const counted = db.prepare<[BoundFilters], CityRow["rankingSummary"]>(
    `SELECT ${sums.join(", ")} FROM records WHERE ${inIndex("rank")}`,
  );
  const whole = db.prepare<[string], string>("SELECT ranking_summary FROM cities WHERE slug = ?").pluck();
  return (filters) => {
    const { city, ...others } = filters;
    if (Object.values(others).some((value) => value !== null)) return counted.get(filters) ?? none;
    const stored = whole.get(city);
    return stored === undefined ? none : JSON.parse(stored);
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
    AND (:state IS NULL OR ranking_state = :state) AND (:claim IS NULL OR ${claimState("status")} = :claim)
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
