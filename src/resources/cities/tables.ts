import { z } from "zod";
import type { FirstObservedWindow } from "../../contract/enums.ts";
import { ExplorerParams } from "../../contract/params.ts";
import { AVERAGES_NOTE, type CellRow, CityCoverageRow, ExplorerRow } from "../../contract/service/exports.ts";
import { DAY_MS } from "../../kernel/time.ts";
import type { CityRow, ExplorerRow as SnapshotRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { defineResource } from "../define.ts";
import { cityDateOrNull, twoDecimals, twoDecimalsOrNull } from "../envelope.ts";
import { activeRecords, cityCells, coveredCity } from "./cities.ts";

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
  summary: "Export aggregates by city, industry, asset type and claim state as CSV",
  description: `Most observations first. ${AVERAGES_NOTE} An unknown city returns 404, so an empty table means that no row matches. The whole table is available as /exports/explorer.csv.`,
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
    if (city !== undefined) coveredCity(snapshot, city);
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
  return snapshot.explorerRows(filters).map((row) => explorerRow(row, snapshot.city(row.city)));
}

function explorerRow(row: SnapshotRow, city: CityRow | undefined): ExplorerRow {
  if (city === undefined) throw new Error(`no city ${row.city} in this release`);
  return {
    city: row.city,
    industry: row.industry,
    asset_type: row.assetType,
    claim_state: row.claimState,
    entities: row.entities,
    observations: row.observations,
    observed_cells: row.observedCells,
    coverage_level: city.coverage.level,
    assets: row.assets,
    avg_pps: twoDecimalsOrNull(row.avgPps),
    avg_percentile: twoDecimalsOrNull(row.avgPercentile),
    first_observed: cityDateOrNull(row.firstObserved, city.lng),
    last_observed: cityDateOrNull(row.lastObserved, city.lng),
  };
}

/** One row per city, in order of registration. */
export function cityCoverageTable(snapshot: Snapshot): CityCoverageRow[] {
  const isSynthetic = isDemonstration(snapshot);
  return snapshot
    .cities()
    .map((city) =>
      CityCoverageRow.parse({ ...coverageRow(city, isSynthetic), ...recentFigures(snapshot, city.slug) }),
    );
}

/** No environment mixes what is made up with what is real. */
function isDemonstration(snapshot: Snapshot): boolean {
  return snapshot.release().environment === "demo";
}

type RecentFigures = Pick<CityCoverageRow, "sightings_per_area_90d" | "new_records_30d">;

const NEW_DAYS = 30;

/** What is compared between cities besides the metrics of their coverage. */
export function recentFigures(snapshot: Snapshot, slug: string): RecentFigures {
  const checked = cityCells({ snapshot }, slug).filter(({ weeks_looked_90d: weeks }) => weeks > 0);
  const sightings = checked.reduce((sum, { observations_90d: seen }) => sum + seen, 0);
  const counts = snapshot.eventCountsOf(slug, { since: snapshot.release().asOf - NEW_DAYS * DAY_MS });
  return {
    sightings_per_area_90d: checked.length === 0 ? null : twoDecimals(sightings / checked.length),
    new_records_30d: counts.find(({ type }) => type === "new_public_record")?.count ?? 0,
  };
}

function coverageRow(city: CityRow, isSynthetic: boolean): Omit<CityCoverageRow, keyof RecentFigures> {
  const { slug, name, country, coverage } = city;
  return {
    city: slug,
    name,
    country,
    tier: coverage.tier,
    coverage_level: coverage.level,
    freshness: coverage.freshness,
    tier_since: coverage.tierSince,
    denominator_status: city.denominatorReviewed ? "reviewed" : "unreviewed",
    records: city.recordCount,
    observations: city.observationCount,
    ...coverage.metrics,
    active_records: activeRecords(city),
    city_name: name,
    is_synthetic: isSynthetic,
  };
}

/** The cells of all cities, city by city. */
export function cellTable(snapshot: Snapshot): CellRow[] {
  return snapshot.cities().flatMap((city) => cellFacts(snapshot, city));
}

/** The cells of a city, each with what is said of it where it stands alone. */
export function cellFacts(snapshot: Snapshot, { slug, name }: CityRow): CellRow[] {
  const isSynthetic = isDemonstration(snapshot);
  return cityCells({ snapshot }, slug).map((cell) => ({
    city: slug,
    ...cell,
    city_name: name,
    is_synthetic: isSynthetic,
  }));
}
