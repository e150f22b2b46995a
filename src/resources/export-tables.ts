import { type CellRow, CityCoverageRow } from "../contract/service/exports.ts";
import type { CityRow } from "../snapshot/rows.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { activeRecords, cityCells } from "./cities/cities.ts";

/** One row per city, in order of registration. */
export function cityCoverageTable(snapshot: Snapshot): CityCoverageRow[] {
  return snapshot.cities().map((city) => CityCoverageRow.parse(coverageRow(city)));
}

function coverageRow(city: CityRow): CityCoverageRow {
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
  };
}

/** The cells of all cities, city by city. */
export function cellTable(snapshot: Snapshot): CellRow[] {
  return snapshot
    .cities()
    .flatMap(({ slug }) => cityCells({ snapshot }, slug).map((cell) => ({ city: slug, ...cell })));
}
