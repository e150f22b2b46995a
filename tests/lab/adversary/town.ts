/**
 * The simulated town: a grid of streets with the assets of 150 records along them. Places are meters east and north of the
 * southwestern corner. Four fifths of the fixed assets stand on the high streets, every fourth line of the grid; a quarter
 * appears in the course of the simulation, so that there is always something to discover.
 */

import type { AssetType } from "../../../src/contract/enums.ts";
import { HOUR_MS } from "../../../src/kernel/time.ts";
import type { Chance } from "./chance.ts";

export interface Point {
  readonly x: number; // meters east
  readonly y: number; // meters north
}

export interface TownAsset extends Point {
  readonly id: number;
  readonly record: number;
  readonly type: AssetType;
  readonly from: number; // first day of the simulation on which it is there
  /** Of a vehicle: where it stands in each hour of each day. Empty for fixed assets. */
  readonly stops: readonly Point[];
}

export interface Town {
  readonly records: number; // rows 1 to this
  readonly assets: readonly TownAsset[];
}

export const GRID_LINES = 32;
export const BLOCK_M = 120;
export const HIGH_STREET_EVERY = 4;
export const EXTENT_M = GRID_LINES * BLOCK_M;
export const DAYS = 60;
/** The first day of the simulation, midnight of the city's solar time in UTC. */
export const START = Date.UTC(2026, 8, 1) + 5 * HOUR_MS;
export const SOLAR_OFFSET_HOURS = -5;

const SOUTHWEST = { lat: 43.53, lng: -80.27 };
const METERS_PER_DEGREE = 111_320;
const HIGH_STREET_SHARE = 0.8;
const APPEARS_LATER_SHARE = 0.25;
const FIRST_HOUR = 7;
const LAST_HOUR = 18;
const HOURS_A_STOP = 2;

/** Kinds of records: how many, and the assets that one has, each type with the fewest and the most. */
const KINDS: readonly { records: number; assets: readonly (readonly [AssetType, number, number])[] }[] = [
  {
    records: 65,
    assets: [
      ["storefront", 1, 1],
      ["temp_sign", 0, 1],
    ],
  },
  {
    records: 20,
    assets: [
      ["storefront", 2, 4],
      ["billboard", 0, 1],
    ],
  },
  {
    records: 30,
    assets: [
      ["vehicle_wrap", 1, 3],
      ["site_sign", 1, 4],
    ],
  },
  {
    records: 15,
    assets: [
      ["billboard", 1, 3],
      ["storefront", 1, 1],
    ],
  },
  {
    records: 20,
    assets: [
      ["vehicle_wrap", 2, 6],
      ["storefront", 1, 1],
    ],
  },
];

export function makeTown(chance: Chance): Town {
  const assets: TownAsset[] = [];
  let record = 0;
  for (const kind of KINDS) {
    for (let made = 0; made < kind.records; made += 1) {
      record += 1;
      for (const [type, fewest, most] of kind.assets) {
        const count = chance.whole(fewest, most);
        for (let at = 0; at < count; at += 1) assets.push(makeAsset(chance, assets.length + 1, record, type));
      }
    }
  }
  return { records: record, assets };
}

function makeAsset(chance: Chance, id: number, record: number, type: AssetType): TownAsset {
  const place = placeOnStreet(chance);
  if (type === "vehicle_wrap")
    return { id, record, type, ...place, from: 0, stops: stopsOfVehicle(chance, place) };
  const from = chance.is(APPEARS_LATER_SHARE) ? chance.whole(1, DAYS - 1) : 0;
  return { id, record, type, ...place, from, stops: [] };
}

/** A place on a street between two crossings. */
export function placeOnStreet(chance: Chance): Point {
  const line = chance.is(HIGH_STREET_SHARE)
    ? HIGH_STREET_EVERY * chance.whole(1, GRID_LINES / HIGH_STREET_EVERY - 1)
    : chance.whole(0, GRID_LINES);
  const along = chance.within(0, EXTENT_M);
  const across = line * BLOCK_M;
  return chance.is(0.5) ? { x: along, y: across } : { x: across, y: along };
}

function stopsOfVehicle(chance: Chance, depot: Point): Point[] {
  const stops: Point[] = [];
  for (let day = 0; day < DAYS; day += 1) {
    let stop = depot;
    for (let hour = 0; hour < 24; hour += 1) {
      const isOut = hour >= FIRST_HOUR && hour < LAST_HOUR;
      if (!isOut) stop = depot;
      else if ((hour - FIRST_HOUR) % HOURS_A_STOP === 0) stop = placeOnStreet(chance);
      stops.push(stop);
    }
  }
  return stops;
}

/** Where an asset is at `instant`; undefined before it is there. */
export function placeOf(asset: TownAsset, instant: number): Point | undefined {
  const hours = (instant - START) / HOUR_MS;
  if (hours < 24 * asset.from) return undefined;
  return asset.type === "vehicle_wrap" ? asset.stops[Math.floor(hours)] : asset;
}

/** The assets of a town by the crossing that they are nearest to, in each hour. */
export class Crossings {
  readonly #town: Town;
  readonly #hours = new Map<number, Map<number, TownAsset[]>>();

  constructor(town: Town) {
    this.#town = town;
  }

  /** Assets within half a block of the crossing of two lines of the grid. */
  near(x: number, y: number, instant: number): readonly TownAsset[] {
    const hour = Math.floor((instant - START) / HOUR_MS);
    let index = this.#hours.get(hour);
    if (index === undefined) {
      index = Map.groupBy(this.#town.assets, (asset) => {
        const place = placeOf(asset, instant);
        return place ? crossing(Math.round(place.x / BLOCK_M), Math.round(place.y / BLOCK_M)) : -1;
      });
      this.#hours.set(hour, index);
    }
    return index.get(crossing(x, y)) ?? [];
  }
}

function crossing(x: number, y: number): number {
  return x * (GRID_LINES + 1) + y;
}

export function latLngOf({ x, y }: Point): { lat: number; lng: number } {
  const lat = SOUTHWEST.lat + y / METERS_PER_DEGREE;
  const lng = SOUTHWEST.lng + x / (METERS_PER_DEGREE * Math.cos((SOUTHWEST.lat * Math.PI) / 180));
  return { lat, lng };
}

export function pointOf({ lat, lng }: { readonly lat: number; readonly lng: number }): Point {
  const y = (lat - SOUTHWEST.lat) * METERS_PER_DEGREE;
  const x = (lng - SOUTHWEST.lng) * METERS_PER_DEGREE * Math.cos((SOUTHWEST.lat * Math.PI) / 180);
  return { x, y };
}
