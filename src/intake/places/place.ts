import { cellToParent, getResolution, latLngToCell } from "h3-js";
import type { GazetteerCity } from "../../contract/cities/city.ts";
import { BoundedCache } from "../../kernel/bounded-cache.ts";
import { DAY_MS, HOUR_MS, isoDate } from "../../kernel/time.ts";
import type { CityDetails } from "../../ledger/rows/rows.ts";
import { LineFault } from "../lines/fault.ts";

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

/** The city of a sighting. Throws LineFault, with a hint when latitude and longitude seem to be swapped. */
export function requiredCity(
  cityOf: CityOfCell,
  cell: string,
  position: () => { readonly lat: number; readonly lng: number },
): City {
  const city = cityOf(cell);
  if (city !== undefined) return city;
  const { lat, lng } = position();
  const swapped = cityAt(cityOf, lng, lat);
  const hint =
    swapped === undefined ? "" : `, but with latitude and longitude swapped it is in ${swapped.details.name}`;
  throw new LineFault("outside_registered_cities", "lat", `the position is in no registered city${hint}`);
}

/** Where a calendar hangs. */
export interface CalendarPlace {
  readonly country: string; // ISO 3166
  readonly lng: number;
}

/** How far standard time may be from the time by the sun, as it is in Alaska. */
const MAX_DISTANCE_HOURS = 2.1;
/** All of China keeps one time, although its west has a zone. */
const ONE_ZONE: Readonly<Record<string, string>> = { CN: "Asia/Shanghai" };
/** For a country without known zones: summer time, and an hour for where the zone ends. */
const USUAL_HOURS = 2;

/**
 * The latest date that calendars at a place may show at an instant (ms). A country's zones are known, but not where each of them
 * lies: of those near the place the one farthest ahead is taken, which is at most two hours more than the place's own.
 */
export function latestDate(instant: number, place: CalendarPlace): string {
  return isoDate(instant + latestOffsetHours(instant, place) * HOUR_MS);
}

function latestOffsetHours(instant: number, { country, lng }: CalendarPlace): number {
  const seasons = seasonsOf(instant);
  const zones = zonesOf(country).map((zone) => ({
    now: offsetHours(zone, instant),
    distance: distanceHours(Math.min(...seasons.map((season) => offsetHours(zone, season))), lng / 15),
  }));
  const nearest = Math.min(...zones.map(({ distance }) => distance));
  const near = zones.filter(({ distance }) => distance <= Math.max(nearest, MAX_DISTANCE_HOURS));
  return near.length === 0 ? lng / 15 + USUAL_HOURS : Math.max(...near.map(({ now }) => now));
}

/** The IANA time zones of a country (ISO 3166 code). */
export function zonesOf(country: string): readonly string[] {
  const only = ONE_ZONE[country];
  if (only !== undefined) return [only];
  return /^[A-Z]{2}$/.test(country) ? (new Intl.Locale(`und-${country}`).getTimeZones() ?? []) : [];
}

/** The zones of a country: the nearest by the sun first, and of those whose clocks show the same only that of the largest city. */
export function zonesNear(
  { country, lng }: { readonly country: string; readonly lng: number | undefined },
  instant: number,
  cities: readonly Pick<GazetteerCity, "countryCode" | "asciiName" | "population">[],
): readonly string[] {
  const people = new Map(
    cities
      .filter(({ countryCode }) => countryCode === country)
      .toSorted((a, b) => a.population - b.population)
      .map(({ asciiName, population }) => [asciiName.replaceAll(" ", "_"), population]),
  );
  const zones = zonesOf(country).map((name) => {
    const hours = seasonsOf(instant).map((season) => offsetHours(name, season));
    const distance = lng === undefined ? 0 : Math.round(distanceHours(Math.min(...hours), lng / 15));
    return { name, clock: hours.join(), distance, size: people.get(name.split("/").at(-1) ?? "") ?? 0 };
  });
  const sorted = zones.toSorted((a, b) => a.distance - b.distance || b.size - a.size);
  return [...Map.groupBy(sorted, ({ clock }) => clock).values()].flatMap((of) =>
    of.slice(0, 1).map(({ name }) => name),
  );
}

function seasonsOf(instant: number): readonly number[] {
  const year = new Date(instant).getUTCFullYear();
  return [Date.UTC(year, 0, 1), Date.UTC(year, 6, 1)];
}

function offsetHours(timeZone: string, instant: number): number {
  const minute = Math.floor(instant / 60_000) * 60_000;
  const parts = new Intl.DateTimeFormat("en", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  }).formatToParts(minute);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((each) => each.type === type)?.value);
  const local = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"));
  return (local - minute) / HOUR_MS;
}

/** On the clock: a place may be on the other side of the date line. */
function distanceHours(a: number, b: number): number {
  const apart = Math.abs(a - b) % 24;
  return Math.min(apart, 24 - apart);
}

/** A date that has begun somewhere on earth, and not everywhere: whether it has at a place is for `latestDate` to say. */
export function isBeginning(date: string, instant: number): boolean {
  const start = Date.parse(date);
  return instant >= start - EARLIEST_HOURS * HOUR_MS && instant < start + DAY_MS - LATEST_HOURS * HOUR_MS;
}

/** How far the calendars of the earth are ahead of UTC at most, and behind it. */
const EARLIEST_HOURS = 14;
const LATEST_HOURS = 12;
