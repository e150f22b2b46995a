import type { Database } from "better-sqlite3";
import type { AssetType, ClaimState, ConfidenceLevel, OnlinePresence } from "../../contract/enums.ts";
import { type ExplorerEntry, explorerRows } from "../../method/explorer.ts";
import type { ExplorerRow } from "../rows.ts";
import { claimState } from "./claim-filter.ts";
import { industryCondition, industryValue } from "./industry-filter.ts";

interface ExplorerFilters {
  readonly city?: string | undefined; // slug
  readonly industry?: string | undefined; // an ISIC code with all below it, or a section letter
  readonly assetType?: AssetType | undefined;
  readonly claimState?: ClaimState | undefined;
  readonly onlinePresence?: OnlinePresence | undefined;
  readonly firstObservedSince?: number | undefined; // ms: the record was first observed then or later
  readonly minPercentile?: number | undefined; // 0..100: only ranked records of at least this percentile
}

export interface ExplorerQueries {
  /** Aggregates by (city, industry, asset type, claim state), most observations first; the filters choose the records. */
  explorerRows(filters: ExplorerFilters): ExplorerRow[];
}

interface StoredEntry {
  readonly record: number;
  readonly city: string;
  readonly level: ConfidenceLevel;
  readonly industry: string | null;
  readonly claim: ClaimState;
  readonly pps: number | null;
  readonly percentile: number | null;
  readonly asset_type: AssetType;
  readonly observations: number;
  readonly assets: number;
  readonly cells: string;
  readonly first_observed: number;
  readonly last_observed: number;
}

const CLAIM = claimState("r.status");

const ENTRIES = `
  SELECT f.*, r.city, r.industry, ${CLAIM} AS claim, r.standing ->> 'pps' AS pps, r.standing ->> 'percentile' AS percentile,
    c.coverage ->> 'level' AS level
  FROM explorer_facts f JOIN records r ON r.id = f.record JOIN cities c ON c.slug = r.city
  WHERE (:city IS NULL OR r.city = :city) AND ${industryCondition("r.industry")}
    AND (:assetType IS NULL OR f.asset_type = :assetType) AND (:claimState IS NULL OR ${CLAIM} = :claimState)
    AND (:onlinePresence IS NULL OR r.online_verdict = :onlinePresence)
    AND (:firstObservedSince IS NULL OR r.first_observed >= :firstObservedSince)
    AND (:minPercentile IS NULL OR r.standing ->> 'percentile' >= :minPercentile)
  ORDER BY f.record, f.asset_type`;

export function explorerQueries(db: Database): ExplorerQueries {
  const entries = db.prepare<object, StoredEntry>(ENTRIES);
  return {
    explorerRows(filters) {
      const chosen = entries.all({
        city: filters.city ?? null,
        industry: industryValue(filters.industry),
        assetType: filters.assetType ?? null,
        claimState: filters.claimState ?? null,
        onlinePresence: filters.onlinePresence ?? null,
        firstObservedSince: filters.firstObservedSince ?? null,
        minPercentile: filters.minPercentile ?? null,
      });
      return explorerRows(chosen.map(explorerEntry));
    },
  };
}

function explorerEntry(stored: StoredEntry): ExplorerEntry {
  return {
    record: stored.record,
    city: stored.city,
    coverageLevel: stored.level,
    industry: stored.industry,
    claimState: stored.claim,
    pps: stored.pps,
    percentile: stored.percentile,
    assetType: stored.asset_type,
    observations: stored.observations,
    assets: stored.assets,
    cells: JSON.parse(stored.cells),
    firstObserved: stored.first_observed,
    lastObserved: stored.last_observed,
  };
}
