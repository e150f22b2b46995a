import { ConfidenceLevel, CoverageTier } from "../contract/enums.ts";
import type { CoverageConfidence, Envelope } from "../contract/envelope.ts";
import { CONFIDENCE_NOTE, NO_CITY_NOTE } from "../contract/records/claim-boundary.ts";
import { isoTime } from "../kernel/time.ts";
import type { CityRow, ReleaseRow } from "../snapshot/rows.ts";
import { methodologyUrl } from "./links.ts";

/** The members that most answers end with (interface 2.1); `cities` are those the answer speaks of. */
export function envelope(release: ReleaseRow, cities: readonly CityRow[]): Envelope {
  return {
    methodology_url: methodologyUrl(release.baseUrl),
    data_as_of: isoTime(release.asOf),
    coverage_confidence: coverageConfidence(cities),
  };
}

/** An answer is as sure as its sparsest city (design 12). */
export function coverageConfidence(cities: readonly CityRow[]): CoverageConfidence {
  const lowest = sparsest(cities);
  if (lowest === undefined) return { level: "none", observed_cells: 0, note: NO_CITY_NOTE };
  const { level, metrics } = lowest.coverage;
  const scope = cities.length > 1 ? `Of ${cities.length} cities, the sparsest is ${lowest.name}. ` : "";
  return { level, observed_cells: metrics.observed_cells_90d, note: scope + CONFIDENCE_NOTE[level] };
}

/** The deprecated status of interface 2.10 repeats the tier. */
export function coverageStatus({ coverage }: CityRow): {
  coverage_status: CoverageTier;
  coverage_message: string;
} {
  return { coverage_status: coverage.tier, coverage_message: coverage.message };
}

/** Lowest level first, then lowest tier, then fewest observed cells, then the city that was registered first. */
export function sparsest(cities: readonly CityRow[]): CityRow | undefined {
  return cities.toSorted(
    (a, b) =>
      ConfidenceLevel.options.indexOf(a.coverage.level) - ConfidenceLevel.options.indexOf(b.coverage.level) ||
      CoverageTier.options.indexOf(a.coverage.tier) - CoverageTier.options.indexOf(b.coverage.tier) ||
      a.coverage.metrics.observed_cells_90d - b.coverage.metrics.observed_cells_90d ||
      a.id - b.id,
  )[0];
}
