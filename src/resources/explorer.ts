import { z } from "zod";
import type { FirstObservedWindow } from "../contract/enums.ts";
import { ExplorerRow } from "../contract/explorer.ts";
import { ExplorerParams } from "../contract/params.ts";
import { PublicError } from "../kernel/errors.ts";
import { DAY_MS, isoDate } from "../kernel/time.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { defineResource } from "./define.ts";
import { twoDecimalsOrNull } from "./plain-values.ts";

const WINDOW_DAYS: Readonly<Record<FirstObservedWindow, number>> = {
  "30d": 30,
  "90d": 90,
  "180d": 180,
  "365d": 365,
};

const ExplorerRows = z.array(ExplorerRow);

export const explorerCsv = defineResource({
  operationId: "exportExplorerCsv",
  path: "/api/v1/explorer.csv",
  summary: "Aggregates by city, industry, asset type and claim state, as CSV",
  description:
    "Most observations first. Averages are over ranked records and empty when there are none. An unknown city is a 404, so an empty table means that nothing matches. The whole table is the bulk file /exports/explorer.csv.",
  pathParams: {},
  query: ExplorerParams.shape,
  wire: ExplorerRows,
  example: { path: {}, query: { city: "exampleville", asset_type: "storefront", limit: "3" } },
  errors: [400, 404],
  enumerate: () => [{}],
  load({ snapshot }, _path, query) {
    const {
      city,
      industry,
      asset_type,
      claim_state,
      online_presence,
      first_observed,
      min_percentile,
      limit,
    } = query;
    if (city !== undefined && snapshot.city(city) === undefined)
      throw new PublicError(404, "no covered city has this slug: see /api/v1/cities");
    const firstObservedSince =
      first_observed && snapshot.release().asOf - WINDOW_DAYS[first_observed] * DAY_MS;
    const filters = {
      city,
      industry,
      assetType: asset_type,
      claimState: claim_state,
      onlinePresence: online_presence,
      firstObservedSince,
      minPercentile: min_percentile,
    };
    return explorerRows(snapshot, filters).slice(0, limit);
  },
});

/** The whole table, for the bulk file. */
export function explorerTable(snapshot: Snapshot): ExplorerRow[] {
  return ExplorerRows.parse(explorerRows(snapshot, {}));
}

function explorerRows(snapshot: Snapshot, filters: Parameters<Snapshot["explorerRows"]>[0]): ExplorerRow[] {
  return snapshot.explorerRows(filters).map((row) => ({
    city: row.city,
    industry: row.industry,
    asset_type: row.assetType,
    claim_state: row.claimState,
    entities: row.entities,
    observations: row.observations,
    observed_cells: row.observedCells,
    coverage_level: snapshot.city(row.city)?.coverage.level ?? "none",
    assets: row.assets,
    avg_pps: twoDecimalsOrNull(row.avgPps),
    avg_percentile: twoDecimalsOrNull(row.avgPercentile),
    first_observed: dateOrNull(row.firstObserved),
    last_observed: dateOrNull(row.lastObserved),
  }));
}

function dateOrNull(ms: number | null): string | null {
  return ms === null ? null : isoDate(ms);
}
