import { cellToParent, getResolution, latLngToCell } from "h3-js";
import { BoundedCache } from "../../kernel/bounded-cache.ts";
import type { CityDetails } from "../../ledger/rows/rows.ts";

/** The resolution of city manifests and of the published cell of fixed assets (about 0.7 km2). */
export const CITY_RESOLUTION = 8;
/** The resolution at which two sightings of one name are at one place (about 2,000 m2); private. */
export const PLACE_RESOLUTION = 11;

export interface City {
  readonly slug: string;
  readonly details: CityDetails;
}

/** Which city's manifest holds a resolution-8 cell. A cell that two cities claim belongs to the one registered first. */
export type CityOfCell = (cell: string) => City | undefined;

const CACHED_CELLS = 100_000;

/** `cities` in the order of their registration. */
export function cityFinder(cities: Iterable<City>): CityOfCell {
  const owners = new Map<string, City>();
  const sizes = new Set<number>();
  for (const city of cities) {
    for (const cell of city.details.cells) {
      sizes.add(getResolution(cell));
      if (!owners.has(cell)) owners.set(cell, city);
    }
  }
  // Manifests are compacted, so a cell's owner may be listed by one of its parents only.
  const resolutions = [...sizes].sort();
  const find = (cell: string): City | null => {
    const found = resolutions.map((resolution) => owners.get(cellToParent(cell, resolution)));
    return found.find((city) => city !== undefined) ?? null;
  };
  const cache = new BoundedCache<string, City | null>(CACHED_CELLS);
  return (cell) => cache.take(cell, () => find(cell)) ?? undefined;
}

/** The city at a point, if any. */
export function cityAt(find: CityOfCell, lat: number, lng: number): City | undefined {
  if (Math.abs(lat) > 90 || Math.abs(lng) > 180) return undefined;
  return find(latLngToCell(lat, lng, CITY_RESOLUTION));
}
