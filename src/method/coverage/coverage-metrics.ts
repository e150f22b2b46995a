import { type AsOf, withinDays } from "../as-of.ts";
import { share } from "../numbers.ts";
import { PARAMETERS } from "../parameters.ts";
import type { CoverageSighting } from "./coverage-window.ts";

/** The metrics of interface 2.10 with their published names. Shares are 0..1 with four decimals. */
export type CoverageMetrics = ReturnType<typeof coverageMetrics>;

/** Computes the metrics over a city's citations: sightings not rejected and observed by `asOf`. */
export function coverageMetrics(
  citations: readonly CoverageSighting[],
  cells: ReadonlySet<string>,
  asOf: AsOf,
) {
  const { citationDays, activeDays } = PARAMETERS.coverage;
  const recent = citations.filter(({ day }) => withinDays(day, asOf, citationDays));
  const active = recent.filter(({ day }) => withinDays(day, asOf, activeDays));
  return {
    physical_citations_180d: recent.length,
    unique_entities_180d: distinct(recent, ({ record }) => record),
    unique_assets_180d: distinct(recent, ({ asset }) => asset),
    ...cellMetrics(recent, cells, asOf),
    ...scoutMetrics(recent.filter(({ scout }) => scout !== undefined)),
    repeat_entity_rate_180d: repeatRate(recent),
    active_observation_days_30d: distinct(active, ({ day }) => day),
    ...sourceMetrics(recent),
  };
}

function cellMetrics(recent: readonly CoverageSighting[], eligible: ReadonlySet<string>, asOf: AsOf) {
  const { cellDays, freshCellDays } = PARAMETERS.coverage;
  const fine = recent.filter((sighting) => sighting.fine && withinDays(sighting.day, asOf, cellDays));
  const observed = new Set(fine.map(({ cell }) => cell));
  const fresh = new Set(
    fine.filter(({ day }) => withinDays(day, asOf, freshCellDays)).map(({ cell }) => cell),
  );
  const observedEligible = [...observed].filter((cell) => eligible.has(cell)).length;
  return {
    observed_cells_90d: observed.size,
    observed_eligible_cells_90d: observedEligible,
    eligible_coverage_cells: eligible.size,
    cell_coverage_ratio_90d: share(observedEligible, eligible.size),
    fresh_cell_rate_45d: share(fresh.size, observed.size),
  };
}

// Scouts are identified across records by a private hash, so public files cannot reproduce these three numbers.
function scoutMetrics(scouted: readonly CoverageSighting[]) {
  return {
    independent_scout_observers_180d: distinct(scouted, ({ scout }) => scout),
    independent_scout_observations_180d: distinct(
      scouted,
      ({ record, scout, day }) => `${record} ${scout} ${day}`,
    ),
    independent_scout_days_180d: distinct(scouted, ({ day }) => day),
  };
}

/** Share of records observed on two or more days. */
function repeatRate(recent: readonly CoverageSighting[]): number {
  const perRecord = [...Map.groupBy(recent, ({ record }) => record).values()];
  return share(
    perRecord.filter((sightings) => sightings.some(({ day }) => day !== sightings[0]?.day)).length,
    perRecord.length,
  );
}

function sourceMetrics(recent: readonly CoverageSighting[]) {
  const perSource = [...Map.groupBy(recent, ({ source }) => source).values()];
  const largest = perSource.reduce((most, sightings) => Math.max(most, sightings.length), 0);
  return {
    source_family_count_180d: perSource.length,
    largest_source_family_share_180d: share(largest, recent.length),
  };
}

function distinct<T, K>(items: readonly T[], key: (item: T) => K): number {
  return new Set(items.map(key)).size;
}
