import { ConfidenceLevel, CoverageTier } from "../contract/enums.ts";
import {
  type CarriedOver,
  type CoverageConfidence,
  carriedOver,
  type Envelope,
} from "../contract/envelope.ts";
import { CONFIDENCE_NOTE, NO_CITY_NOTE } from "../contract/records/claim-boundary.ts";
import { cityDate, isoTime } from "../kernel/time.ts";
import type { CityRow, ReleaseRow } from "../snapshot/rows.ts";
import { methodologyUrl } from "./links.ts";

/** Conversions from rows to wire values, where null means "unknown", and the envelope of most responses. */

export function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

/** First and last observation times, with their days in the city at `lng` degrees. */
export function observedSpan(
  {
    firstObserved,
    lastObserved,
  }: { readonly firstObserved: number | null; readonly lastObserved: number | null },
  lng: number | undefined,
) {
  return {
    first_observed: timeOrNull(firstObserved),
    first_observed_on: cityDateOrNull(firstObserved, lng),
    last_observed: timeOrNull(lastObserved),
    last_observed_on: cityDateOrNull(lastObserved, lng),
  };
}

/** Day in the city at `lng` degrees; null without a time or a city. */
export function cityDateOrNull(ms: number | null, lng: number | undefined): string | null {
  return ms === null || lng === undefined ? null : cityDate(ms, lng);
}

/** Rounds scores and percentiles to two decimals (design 7). Ranks use full precision. */
export function twoDecimals(value: number): number {
  return Math.round(value * 100) / 100;
}

export function twoDecimalsOrNull(value: number | null): number | null {
  return value === null ? null : twoDecimals(value);
}

/** Builds the envelope of most responses (interface 2.1) for the cities of the response. */
export function envelope(release: ReleaseRow, cities: readonly CityRow[]): Envelope {
  return {
    methodology_url: methodologyUrl(release.baseUrl),
    data_as_of: isoTime(release.asOf),
    coverage_confidence: coverageConfidence(cities),
  };
}

/** The envelope of responses about cities as a whole: it says which of their values an erasure has left behind. */
export function cityEnvelope(
  release: ReleaseRow,
  cities: readonly CityRow[],
): Envelope & { carried_over?: CarriedOver } {
  return { ...envelope(release, cities), ...carriedOf(cities) };
}

/** The mark of the newest erasure in these cities; nothing without one. */
export function carriedOf(cities: readonly CityRow[]): { carried_over?: CarriedOver } {
  const newest = Math.max(0, ...cities.map(({ carriedOverAt }) => carriedOverAt ?? 0));
  return newest === 0 ? {} : { carried_over: carriedOver(newest) };
}

/** Uses the confidence of the least observed city (design 4). */
export function coverageConfidence(cities: readonly CityRow[]): CoverageConfidence {
  const lowest = sparsest(cities);
  if (lowest === undefined) return { level: "none", observed_cells: 0, note: NO_CITY_NOTE };
  const { level, metrics } = lowest.coverage;
  const scope =
    cities.length > 1 ? `Of ${cities.length} cities, ${lowest.name} has the lowest coverage. ` : "";
  return { level, observed_cells: metrics.observed_cells_90d, note: scope + CONFIDENCE_NOTE[level] };
}

/** The deprecated coverage status (interface 2.10), which repeats the tier. */
export function coverageStatus({ coverage }: CityRow): {
  coverage_status: CoverageTier;
  coverage_message: string;
} {
  return { coverage_status: coverage.tier, coverage_message: coverage.message };
}

/** Orders by level, tier and observed cells, lowest first, then by registration. */
export function sparsest(cities: readonly CityRow[]): CityRow | undefined {
  return cities.toSorted(
    (a, b) =>
      ConfidenceLevel.options.indexOf(a.coverage.level) - ConfidenceLevel.options.indexOf(b.coverage.level) ||
      CoverageTier.options.indexOf(a.coverage.tier) - CoverageTier.options.indexOf(b.coverage.tier) ||
      a.coverage.metrics.observed_cells_90d - b.coverage.metrics.observed_cells_90d ||
      a.id - b.id,
  )[0];
}
