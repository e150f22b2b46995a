import type { Database } from "better-sqlite3";
import type { AssetType, ClaimState, ConfidenceLevel, OnlinePresence } from "../../contract/enums.ts";
import { real, selection, text } from "../../kernel/table.ts";
import { explorerRows, inExplorerOrder } from "../../method/explorer.ts";
import { claimStateSql, type ExplorerRow } from "../rows.ts";
import { explorer, explorerFacts, records } from "../tables/records.ts";
import { industryCondition, industryValue } from "./city-index-queries.ts";

interface ExplorerFilters {
  readonly city?: string | undefined; // slug
  readonly industry?: string | undefined; // an ISIC code with all below it, or a section letter
  readonly assetType?: AssetType | undefined;
  readonly claimState?: ClaimState | undefined;
  readonly onlinePresence?: OnlinePresence | undefined;
  readonly firstObservedSince?: number | undefined; // ms: the record was first observed then or later
  readonly minPercentile?: number | undefined; // 0..100: only ranked records of at least this percentile
}

const CLAIM = claimStateSql("status");
const PERCENTILE = "records.standing ->> 'percentile'";

const ENTRY = selection({
  ...explorerFacts.columns,
  city: records.columns.city,
  industry: records.columns.industry,
  claimState: text<ClaimState>().as(CLAIM),
  pps: real().nullable().as("records.standing ->> 'pps'"),
  percentile: real().nullable().as(PERCENTILE),
  coverageLevel: text<ConfidenceLevel>().as("cities.coverage ->> 'level'"),
});

const FILTERS = `${industryCondition("industry")}
    AND (:assetType IS NULL OR asset_type = :assetType) AND (:claimState IS NULL OR ${CLAIM} = :claimState)
    AND (:onlinePresence IS NULL OR online_verdict = :onlinePresence)
    AND (:firstObservedSince IS NULL OR records.first_observed >= :firstObservedSince)
    AND (:minPercentile IS NULL OR ${PERCENTILE} >= :minPercentile)
  ORDER BY record, asset_type`;

const OF_ALL = `
  FROM explorer_facts JOIN records ON records.id = record JOIN cities ON cities.slug = city WHERE ${FILTERS}`;

/** Reads the records of the city alone: each city's page asks. */
const OF_CITY = `
  FROM records JOIN explorer_facts ON record = records.id JOIN cities ON cities.slug = city
  WHERE city = :city AND merged_into IS NULL AND ${FILTERS}`;

export function explorerQueries(db: Database) {
  const ofAll = ENTRY.prepare<[object]>(db, OF_ALL);
  const ofCity = ENTRY.prepare<[object]>(db, OF_CITY);
  const stored = selection(explorer.columns);
  const all = stored.prepare(db, "FROM explorer ORDER BY rowid");
  const allOfCity = stored.prepare<[city: string]>(db, "FROM explorer WHERE city = ? ORDER BY rowid");
  return {
    /** Aggregates by (city, industry, asset type, claim state), most observations first; the filters choose the records. */
    explorerRows({ city, ...filters }: ExplorerFilters): readonly ExplorerRow[] {
      if (Object.values(filters).every((value) => value === undefined))
        return city === undefined ? inExplorerOrder(all.all()) : allOfCity.all(city);
      const values = {
        industry: industryValue(filters.industry),
        assetType: filters.assetType ?? null,
        claimState: filters.claimState ?? null,
        onlinePresence: filters.onlinePresence ?? null,
        firstObservedSince: filters.firstObservedSince ?? null,
        minPercentile: filters.minPercentile ?? null,
      };
      return explorerRows(city === undefined ? ofAll.all(values) : ofCity.all({ ...values, city }));
    },
  };
}
