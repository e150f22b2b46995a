/**
 * The truth behind an attack: invented cities with businesses, fleets and scouts whose homes, hours and habits are known
 * here and must stay unknown to readers. The same seed gives the same world.
 */

import type { GazetteerCity } from "../../../src/contract/cities/city.ts";
import type { ObservationInput } from "../../../src/intake/lines/observation-input.ts";
import { SeededNumbers } from "../../../src/kernel/seeded.ts";
import { DAY_MS, HOUR_MS, solarOffsetHours } from "../../../src/kernel/time.ts";
import { benchSource, inventedCity, recordName } from "../../support/towns/observations.ts";

/** How a city's scouts share it: by a rota that changes daily, each in a part of their own, or one alone. */
export type Habit = "rota" | "territory" | "alone";

export interface AttackedCity {
  readonly place: GazetteerCity;
  readonly slug: string;
  readonly habit: Habit;
  readonly businesses: readonly Business[];
  readonly vans: readonly Van[];
  readonly scouts: readonly Scout[];
  readonly cameras: readonly Scout[];
}

export interface Business {
  readonly name: string;
  readonly lat: number;
  readonly lng: number;
  readonly website: string;
  readonly part: number; // the territory it lies in
}

export interface Van {
  readonly fleet: string;
  readonly ref: string;
  readonly home: { readonly lat: number; readonly lng: number };
}

export interface Scout {
  readonly id: string;
  readonly source: "scout" | "fleet_cam";
  readonly startHour: number; // local
  readonly hours: number;
  readonly model: string;
  readonly decimals: number; // of the legibility that the device writes
  readonly bias: number; // of that legibility
  readonly part: number;
  /** The operator vouches for it, so its rows count from the first. */
  readonly isVouched: boolean;
  /** Sends a day's lines after the last one, instead of each at once. */
  readonly isLate: boolean;
}

/** One line as a source sends it, with what only its source knows. */
export interface Visit {
  readonly line: ObservationInput;
  readonly city: AttackedCity;
  readonly instant: number; // ms
  readonly arrival: number; // ms: when its source sends it
  readonly localHour: number;
  readonly scout: Scout;
  readonly business: string; // one for all names and vehicles of a business
  readonly van: Van | undefined;
}

export interface World {
  readonly cities: readonly AttackedCity[];
  readonly visits: readonly Visit[]; // in order of arrival
}

const SPREAD_DEGREES = 0.06;
const PLACES = [
  { name: "Attack Alpha", lat: 43, lng: -80, habit: "rota", businesses: 80, scouts: 6, cameras: 3, vans: 6 },
  { name: "Attack Bravo", lat: 49, lng: -123, habit: "rota", businesses: 50, scouts: 4, cameras: 3, vans: 4 },
  {
    name: "Attack Delta",
    lat: 51,
    lng: 8,
    habit: "territory",
    businesses: 45,
    scouts: 3,
    cameras: 0,
    vans: 0,
  },
  { name: "Attack Echo", lat: -37, lng: 144, habit: "alone", businesses: 12, scouts: 1, cameras: 0, vans: 0 },
] as const;
const VISITS_A_DAY = 24;

/** `start`: the first UTC day, in ms. `share`: of the businesses. */
export function makeWorld(seed: number, start: number, nights: number, share = 1): World {
  const chance = new SeededNumbers(`attack ${seed}`);
  const cities = PLACES.map((_, at) => makeCity(chance, at, share));
  const visits = Array.from({ length: nights }, (_, night) => start + night * DAY_MS).flatMap((day) =>
    cities.flatMap((city) => [...visitsOfScouts(chance, city, day), ...visitsOfVans(chance, city, day)]),
  );
  return { cities, visits: visits.sort((a, b) => a.arrival - b.arrival || a.instant - b.instant) };
}

type Place = (typeof PLACES)[number];

function makeCity(chance: SeededNumbers, at: number, share: number): AttackedCity {
  const place: Place = PLACES[at] ?? PLACES[0];
  const slug = place.name.toLowerCase().replace(" ", "-");
  const scouts = (count: number, source: Scout["source"]) =>
    Array.from({ length: count }, (_, number) =>
      makeScout(chance, `${slug}-${source}-${number}`, source, number),
    );
  const businesses = Array.from({ length: Math.ceil(place.businesses * share) }, (_, number): Business => {
    const part = number % Math.max(1, place.scouts);
    const shift = place.habit === "territory" ? (part - 1) * SPREAD_DEGREES : 0;
    const [lat, lng] = somewhere(chance, place.lat, place.lng + shift);
    return {
      name: recordName(at * 100 + number),
      lat,
      lng,
      website: `https://b${at}-${number}.shop-attack.com`,
      part,
    };
  });
  const vans = Array.from({ length: place.vans }, (_, number): Van => {
    const [lat, lng] = somewhere(chance, place.lat, place.lng);
    return {
      fleet: recordName(at * 100 + 90 + (number % 2)),
      ref: `van-${slug}-${number}`,
      home: { lat, lng },
    };
  });
  const { name, lat, lng } = place;
  return {
    place: inventedCity({ geonameId: 910_000_001 + at, name, population: 100_000, lat, lng }),
    slug,
    habit: place.habit,
    businesses,
    vans,
    scouts: scouts(place.scouts, "scout"),
    cameras: scouts(place.cameras, "fleet_cam"),
  };
}

function somewhere(chance: SeededNumbers, lat: number, lng: number): [lat: number, lng: number] {
  const around = (center: number) =>
    Math.round((center + (chance.next() - 0.5) * SPREAD_DEGREES) * 1e6) / 1e6;
  return [around(lat), around(lng)];
}

/** A device has a program of its own and writes numbers in its own way: what it says of itself could tell who holds it. */
function makeScout(chance: SeededNumbers, id: string, source: Scout["source"], number: number): Scout {
  return {
    id,
    source,
    startHour: chance.between(6, 10),
    hours: chance.between(6, 9),
    model: `unit-${String(number).padStart(2, "0")} driver=${id}`,
    decimals: [1, 2, 10, 4, 3, 6][number % 6] ?? 2,
    bias: (chance.next() - 0.5) * 0.06,
    part: number,
    isVouched: number % 3 !== 1,
    isLate: source === "scout" && number % 3 === 2,
  };
}

function* visitsOfScouts(chance: SeededNumbers, city: AttackedCity, day: number): Generator<Visit> {
  for (const scout of city.scouts) {
    const own =
      city.habit === "territory"
        ? city.businesses.filter(({ part }) => part === scout.part)
        : city.businesses;
    for (let turn = 0; turn < Math.min(VISITS_A_DAY, own.length); turn += 1) {
      const business = chance.pick(own);
      const hour = scout.startHour + (turn / VISITS_A_DAY) * scout.hours;
      const { name, lat, lng, website } = business;
      const line = { name, lat, lng, website, asset_type: "storefront" as const };
      yield visit(chance, { city, scout, day, hour, business: name, van: undefined, line });
    }
  }
}

const AT_HOME = [6.5, 20, 21.5];
const ON_ROUTE = [9, 12, 15];

function* visitsOfVans(chance: SeededNumbers, city: AttackedCity, day: number): Generator<Visit> {
  for (const van of city.vans) {
    for (const at of [...AT_HOME, ...ON_ROUTE]) {
      const hour = at + chance.next();
      const [lat, lng] = AT_HOME.includes(at)
        ? [van.home.lat, van.home.lng]
        : somewhere(chance, city.place.lat, city.place.lng);
      const line = { name: van.fleet, lat, lng, asset_type: "vehicle_wrap" as const, asset_ref: van.ref };
      yield visit(chance, {
        city,
        scout: chance.pick(city.cameras),
        day,
        hour,
        business: van.fleet,
        van,
        line,
      });
    }
  }
}

function localInstant({ place }: AttackedCity, day: number, hour: number): number {
  return Math.floor(day + (hour - solarOffsetHours(place.lng)) * HOUR_MS);
}

interface Seen extends Pick<Visit, "city" | "scout" | "business" | "van"> {
  readonly day: number; // UTC midnight, taken as the city's solar midnight
  readonly hour: number; // local
  readonly line: Pick<ObservationInput, "name" | "lat" | "lng" | "asset_type" | "website" | "asset_ref">;
}

function visit(chance: SeededNumbers, { day, hour, line, ...seen }: Seen): Visit {
  const { scout, city } = seen;
  const instant = localInstant(city, day, hour);
  const legibility = Math.min(1, Math.max(0, 0.7 + (chance.next() - 0.5) * 0.5 + scout.bias));
  return {
    ...seen,
    instant,
    arrival: scout.isLate ? localInstant(city, day, scout.startHour + scout.hours) : instant,
    localHour: Math.floor(hour),
    line: {
      ...line,
      source: benchSource(scout.source),
      source_type: scout.source,
      source_ref: `${scout.id}-${instant}-${chance.between(0, 999_999)}`,
      observer: scout.id,
      observed_at: new Date(instant).toISOString(),
      legibility: Number(legibility.toFixed(scout.decimals)),
      recognition_model_version: scout.model,
    },
  };
}
