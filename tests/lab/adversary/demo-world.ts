/**
 * The last 60 days of one city of the demonstration as a world to attack. Its observers are taken as those of individual
 * sources; the time of each day is that of the simulated town.
 */

import { businessesOf } from "../../../src/demo/businesses.ts";
import { CITIES, type DemoCity } from "../../../src/demo/fixture.ts";
import { type Thread, threadOf } from "../../../src/demo/sightings.ts";
import { DAY_MS } from "../../../src/kernel/time.ts";
import { Chance } from "./chance.ts";
import { CAMERAS, GATES, type Line, type Observer, SCOUTS, SURVEY } from "./fleet.ts";
import { DAYS, pointOf, START, type Town, type TownAsset } from "./town.ts";
import { type World, worldOf } from "./world.ts";

const CITY = "guelph";
const FOUNDERS = 3; // of the scouts, and of the cameras
const SOURCES = { scout: SCOUTS, fleet_cam: CAMERAS, telematics_api: GATES, seed_survey: SURVEY } as const;

export function makeDemoWorld(seed: number): World {
  const city = CITIES.find(({ slug }) => slug === CITY);
  if (!city) throw new Error(`the demonstration has no city ${CITY}`);
  const threads = businessesOf(city).map(threadOf);
  const lines = threads.flatMap((thread, at) => linesOf(city, thread, at + 1));
  const chance = new Chance(seed);
  return worldOf(seed, chance, townOf(city, threads), observersOf(lines), lines);
}

function firstDayOf({ last_day }: DemoCity): number {
  return last_day - DAYS + 1;
}

/** Ids of records and assets follow the order of businesses; the assets of one business have consecutive ids. */
function townOf(city: DemoCity, threads: readonly Thread[]): Town {
  const assets = threads.flatMap(({ business }, at) =>
    business.assets.map(({ type, place, from }, of): TownAsset => {
      const point = pointOf(place);
      const stops = type === "vehicle_wrap" ? Array.from({ length: 24 * DAYS }, () => point) : [];
      return {
        id: assetId(at + 1, of),
        record: at + 1,
        type,
        ...point,
        from: Math.max(0, from - firstDayOf(city)),
        stops,
      };
    }),
  );
  return { records: threads.length, assets };
}

const MAX_ASSETS = 50; // of a business

function assetId(record: number, at: number): number {
  return record * MAX_ASSETS + at;
}

function linesOf(city: DemoCity, { business, sightings }: Thread, record: number): Line[] {
  const shift = START - firstDayOf(city) * DAY_MS - (START % DAY_MS);
  return sightings.flatMap(({ asset, line, night }): Line[] => {
    const observedAt = Date.parse(line.observed_at) + shift;
    if (line.derived_from_archive || night < firstDayOf(city)) return [];
    return [
      {
        observer: line.observer,
        source: SOURCES[line.source_type],
        sourceType: line.source_type,
        record,
        asset: assetId(record, business.assets.indexOf(asset)),
        assetType: asset.type,
        lat: line.lat,
        lng: line.lng,
        observedAt,
        receivedAt: Math.max(observedAt, night * DAY_MS + shift),
        media: line.media_sha256 ?? null,
        mediaLook: null,
      },
    ];
  });
}

function observersOf(lines: readonly Line[]): Observer[] {
  const ids = new Map(lines.map((line) => [line.observer, line]));
  return [...ids].map(([id, { source, sourceType }]) => ({
    id,
    source,
    sourceType,
    uploadsAtNight: false,
    joins: 0,
    isFounder: Number(id.split("-").at(-1)) <= FOUNDERS,
    home: { x: 0, y: 0 },
  }));
}
