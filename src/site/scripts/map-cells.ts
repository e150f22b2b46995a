import type { CityCellCollection } from "../../contract/cities/city.ts";
import { dayText } from "../../kernel/time.ts";

/** The cells of a city's map: where they lie, and what is said of them. */

export type Position = readonly [lng: number, lat: number];
export type CellFeature = CityCellCollection["features"][number];
export type CellValues = CellFeature["properties"];

export interface Box {
  readonly southWest: [lng: number, lat: number];
  readonly northEast: [lng: number, lat: number];
}

const AREA_RESOLUTION = 6n;
const DIGIT_BITS = 3n;
const MAX_DIGITS = 15n;
const RESOLUTION_AT = 52n;

/** The H3 cell of resolution 6 around a finer one. H3 marks the digits that a cell does not use with ones. */
export function areaOf(cell: string): string {
  const unused = (1n << (DIGIT_BITS * (MAX_DIGITS - AREA_RESOLUTION))) - 1n;
  const bare = BigInt(`0x${cell}`) & ~(15n << RESOLUTION_AT);
  return (bare | (AREA_RESOLUTION << RESOLUTION_AT) | unused).toString(16);
}

/** Around all of these. A city on the 180th meridian gets the whole world. */
export function boxOf(features: readonly CellFeature[]): Box {
  const corners = features.flatMap(cornersOf);
  const lngs = corners.map(([lng]) => lng);
  const lats = corners.map(([, lat]) => lat);
  return {
    southWest: [Math.min(...lngs), Math.min(...lats)],
    northEast: [Math.max(...lngs), Math.max(...lats)],
  };
}

export function middleOf(feature: CellFeature): Position {
  const corners = cornersOf(feature).slice(1); // the first is the last
  const mean = (at: 0 | 1) => corners.reduce((sum, corner) => sum + corner[at], 0) / corners.length;
  return [mean(0), mean(1)];
}

/** The border around cells: the sides that only one of them has. */
export function borderOf(features: readonly CellFeature[]): [lng: number, lat: number][][] {
  const sides = new Map<string, [lng: number, lat: number][]>();
  for (const ring of features.map(cornersOf))
    for (const [at, end] of ring.slice(1).entries()) {
      const start = ring[at] ?? end;
      const key = [start, end].map(String).sort().join(" ");
      if (!sides.delete(key)) sides.set(key, [[...start], [...end]]);
    }
  return [...sides.values()];
}

function cornersOf({ geometry }: CellFeature): Position[] {
  const [ring = []] = geometry.type === "Polygon" ? geometry.coordinates : (geometry.coordinates[0] ?? []);
  return ring;
}

const KM_PER_DEGREE = 111.32;
const DIRECTIONS = [
  "north",
  "north-east",
  "east",
  "south-east",
  "south",
  "south-west",
  "west",
  "north-west",
] as const;

function wayFrom([middleLng, middleLat]: Position, [lng, lat]: Position) {
  const east = (lng - middleLng) * KM_PER_DEGREE * Math.cos((lat * Math.PI) / 180);
  const north = (lat - middleLat) * KM_PER_DEGREE;
  const eighth = Math.round(Math.atan2(east, north) / (Math.PI / 4));
  return {
    km: Math.hypot(east, north),
    direction: DIRECTIONS[(eighth + DIRECTIONS.length) % DIRECTIONS.length],
  };
}

/** `About 2 km north-east of the middle`: cells have no names. */
export function whereText(position: Position, middle: Position): string {
  const { km, direction } = wayFrom(middle, position);
  if (km < 0.5) return "In the middle of the map";
  return `About ${km < 10 ? km.toFixed(1) : Math.round(km)} km ${direction} of the middle`;
}

export interface Place {
  readonly name: string;
  readonly lat: number;
  readonly lng: number;
}

const NEIGHBORS = 3;
const NEIGHBOR_KM = 10; // nearer ones are on the map as it opens

/** `Around it: Kitchener 25 km south-west.` of places, the most populous first; empty without any. */
export function aroundText(places: readonly Place[], middle: Position): string {
  const around = places
    .map(({ name, lat, lng }) => ({ name, ...wayFrom(middle, [lng, lat]) }))
    .filter(({ km }) => km > NEIGHBOR_KM)
    .slice(0, NEIGHBORS)
    .map(({ name, km, direction }) => `${name} ${Math.round(km)} km ${direction}`);
  return around.length === 0 ? "" : `Around it: ${around.join(", ")}.`;
}

/** One line about a cell. */
export function countsText({ observations, records, last_observed, weeks_looked_90d }: CountedCell): string {
  if (observations > 0) {
    const of = records === undefined ? "" : ` of ${counted(records, "record")}`;
    return `${counted(observations, "sighting")}${of}, the last on ${dayText(last_observed ?? "")}`;
  }
  return weeks_looked_90d > 0 ? "Visited, nothing seen so far" : "Not visited in the last 90 days";
}

type CountedCell = Pick<CellValues, "observations" | "last_observed" | "weeks_looked_90d"> & {
  readonly records?: number;
};

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
