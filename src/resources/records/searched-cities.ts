import { cellToChildren, gridDisk } from "h3-js";
import { MAX_SEARCHED_CITIES, NEAR } from "../../contract/limits.ts";
import { NOT_COVERED_NOTE } from "../../contract/records/claim-boundary.ts";
import type { SearchResponse } from "../../contract/records/search.ts";
import type { CityRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { coverageStatus, sparsest } from "../envelope.ts";

/** Cities that a search covers, with or without matches: the requested one, those around a map cell, or all. */
export function searchedCities(
  snapshot: Pick<Snapshot, "city" | "cities">,
  { city: slug, near }: { readonly city?: string | undefined; readonly near?: string | undefined },
): readonly CityRow[] {
  if (slug === undefined)
    return near === undefined ? snapshot.cities() : citiesAround(snapshot.cities(), near);
  const city = snapshot.city(slug);
  return city === undefined ? [] : [city];
}

const CITY_RESOLUTION = NEAR.resolution + 1; // a city's sorted cells

function citiesAround(cities: readonly CityRow[], near: string): CityRow[] {
  const around = gridDisk(near, NEAR.rings).flatMap((cell) => cellToChildren(cell, CITY_RESOLUTION));
  return cities.filter(({ cells }) => around.some((cell) => isIn(cells, cell)));
}

/** Binary search, because a city has thousands of cells. */
function isIn(sorted: readonly string[], wanted: string): boolean {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? "") < wanted) from = middle + 1;
    else to = middle;
  }
  return sorted[from] === wanted;
}

type Coverage = Pick<
  SearchResponse,
  "coverage_status" | "coverage_message" | "searched_cities" | "searched_city_count"
>;

/** Searched cities, and the coverage of the least observed one. */
export function searchCoverage(cities: readonly CityRow[]): Coverage {
  return {
    ...lowestCoverage(cities),
    searched_cities: cities.slice(0, MAX_SEARCHED_CITIES).map(({ slug }) => slug),
    searched_city_count: cities.length,
  };
}

function lowestCoverage(cities: readonly CityRow[]): Pick<Coverage, "coverage_status" | "coverage_message"> {
  const lowest = sparsest(cities);
  if (lowest === undefined) return { coverage_status: "not_covered", coverage_message: NOT_COVERED_NOTE };
  const coverage = coverageStatus(lowest);
  if (cities.length === 1) return coverage;
  const scope = `${cities.length} cities searched. ${lowest.name} has the lowest coverage:`;
  return { ...coverage, coverage_message: `${scope} ${coverage.coverage_message}` };
}
