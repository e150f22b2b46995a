import { type AsOf, share, withinDays } from "../numbers.ts";
import { PARAMETERS } from "../parameters.ts";
import { type CoverageSighting, type Denominator, type LookedSpan, weeksByCell } from "./coverage-window.ts";

/** The metrics of interface 2.10 with their published names. Shares are 0..1 with four decimals. */
export type CoverageMetrics = ReturnType<typeof coverageMetrics>;

/** Computes the metrics over a city's citations: sightings not rejected and observed by `asOf`. */
export function coverageMetrics(
  citations: readonly CoverageSighting[],
  looked: readonly LookedSpan[],
  denominator: Denominator,
  asOf: AsOf,
) {
  const { citationDays, activeDays } = PARAMETERS.coverage;
  const recent = citations.filter(({ day }) => withinDays(day, asOf, citationDays));
  const active = recent.filter(({ day }) => withinDays(day, asOf, activeDays));
  return {
    physical_citations_180d: recent.length,
    unique_entities_180d: distinct(recent, ({ record }) => record),
    unique_assets_180d: distinct(recent, ({ asset }) => asset),
    ...cellMetrics(looked, denominator, asOf),
    ...scoutMetrics(recent.filter(({ scout }) => scout !== undefined)),
    repeat_entity_rate_180d: repeatRate(recent),
    active_observation_days_30d: distinct(active, ({ day }) => day),
    ...sourceMetrics(recent),
  };
}

function cellMetrics(looked: readonly LookedSpan[], denominator: Denominator, asOf: AsOf) {
  const { cellDays, freshCellDays, repeatWeeks } = PARAMETERS.coverage;
  const observed = weeksByCell(looked, windowOf(asOf, cellDays));
  const fresh = weeksByCell(looked, windowOf(asOf, freshCellDays));
  const eligible = [...observed.keys()].filter((cell) => denominator.weight(cell) > 0);
  const repeated = eligible.filter((cell) => (observed.get(cell) ?? 0) >= repeatWeeks);
  return {
    observed_cells_90d: observed.size,
    observed_eligible_cells_90d: eligible.length,
    eligible_coverage_cells: denominator.size,
    cell_coverage_ratio_90d: denominator.share(denominator.weightOf(eligible)),
    repeated_eligible_cells_90d: repeated.length,
    repeated_cell_ratio_90d: denominator.share(denominator.weightOf(repeated)),
    fresh_cell_rate_45d: share(fresh.size, observed.size),
  };
}

/** The exact shares behind the two ratios: thresholds apply to them, not to the published decimals. */
export function exactRatios(looked: readonly LookedSpan[], denominator: Denominator, asOf: AsOf) {
  const { cellDays, repeatWeeks } = PARAMETERS.coverage;
  const observed = weeksByCell(looked, windowOf(asOf, cellDays));
  const repeated = [...observed].filter(([, weeks]) => weeks >= repeatWeeks).map(([cell]) => cell);
  return {
    observed: denominator.ratio(denominator.weightOf(observed.keys())),
    repeated: denominator.ratio(denominator.weightOf(repeated)),
  };
}

function windowOf(asOf: AsOf, days: number): { first: number; last: number } {
  return { first: asOf.day - days + 1, last: asOf.day };
}

// A scout is a principal, private across records: public files can reproduce the observations and days, not the number of scouts.
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
  const keys = new Set<K>();
  for (const item of items) keys.add(key(item));
  return keys.size;
}
