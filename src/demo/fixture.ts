/** The fixtures of the demonstration: real places, invented businesses. Days are UTC days since 1970. */

import { z } from "zod";
import castFile from "../../fixtures/demo/cast.json" with { type: "json" };
import citiesFile from "../../fixtures/demo/cities.json" with { type: "json" };
import namesFile from "../../fixtures/demo/names.json" with { type: "json" };
import { GazetteerCity } from "../contract/cities/city.ts";
import type { SeededNumbers } from "../kernel/seeded.ts";
import { DAY_MS } from "../kernel/time.ts";

const Day = z.iso.date().transform((date) => Date.parse(date) / DAY_MS);

const DemoCity = z.object({
  slug: z.string(),
  gazetteer: GazetteerCity,
  radius_km: z.number().positive(),
  style: z.string(), // of its names
  businesses: z.int().positive(),
  pace: z.number().positive(), // relative frequency of sightings; 1: usual
  first_day: Day, // of registration and of the first sightings
  last_day: Day, // of sightings
  // Quarters: km north and east of the center, half the side in km, share of the places.
  quarters: z.array(z.tuple([z.number(), z.number(), z.number().positive(), z.int().positive()])).min(1),
  steps: z.array(z.tuple([Day, z.enum(["review", "publish", "unpublish", "pause", "resume", "launch"])])),
});
export type DemoCity = z.infer<typeof DemoCity>;

const Industry = z.string().nullable(); // ISIC code
const Profile = z.enum(["shop", "office", "fleet", "signs", "maker", "chain"]);
export type Profile = z.infer<typeof Profile>;

const NameStyle = z.object({
  patterns: z.array(z.string()).min(1),
  a: z.array(z.string()).min(1),
  b: z.array(z.string()).min(1),
  c: z.array(z.string()).default([]),
  trades: z.array(z.tuple([z.string(), Industry, Profile])).min(1),
});
export type NameStyle = z.infer<typeof NameStyle>;

/** Businesses with a special purpose. */
const Cast = z.object({
  named: z.array(z.object({ city: z.string(), name: z.string(), industry: Industry })),
  twins: z.object({ city: z.string(), names: z.tuple([z.string(), z.string()]), industry: z.string() }),
  crowded: z.object({ city: z.string(), name: z.string(), industry: z.string() }),
  lone_eligible: z.object({ city: z.string(), name: z.string(), industry: z.string() }),
  namesakes: z.array(
    z.object({
      city: z.string(),
      name: z.string(),
      industry: Industry,
      outcome: z.enum(["open", "settled", "merged"]),
    }),
  ),
  generic: z.array(z.string()),
});

export const CITIES: readonly DemoCity[] = z.array(DemoCity).parse(citiesFile);
export const CAST: z.infer<typeof Cast> = Cast.parse(castFile);

const styles = new Map(Object.entries(z.record(z.string(), NameStyle).parse(namesFile)));

export function cityOf(slug: string): DemoCity {
  return found(
    CITIES.find((city) => city.slug === slug),
    slug,
  );
}

export function styleOf({ style }: DemoCity): NameStyle {
  return found(styles.get(style), style);
}

function found<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`fixtures/demo does not define ${name}`);
  return value;
}

export interface Place {
  readonly lat: number;
  readonly lng: number;
}

const KM_PER_DEGREE = 111.32;
const WOBBLE_KM = 0.006; // maximum error of a position

/** A random place in one of the city's quarters. */
export function placeIn(city: DemoCity, numbers: SeededNumbers, quarter?: number): Place {
  const [north, east, spread] =
    city.quarters[quarter ?? -1] ?? numbers.weighted(city.quarters.map((each) => [each, each[3]] as const));
  const off = () => (2 * numbers.next() - 1) * spread;
  return moved(city.gazetteer, north + off(), east + off());
}

/** The same place as measured by another observer. */
export function measured(place: Place, numbers: SeededNumbers): Place {
  const off = () => (2 * numbers.next() - 1) * WOBBLE_KM;
  return moved(place, off(), off());
}

function moved({ lat, lng }: Place, northKm: number, eastKm: number): Place {
  const eastDegrees = eastKm / (KM_PER_DEGREE * Math.cos((lat * Math.PI) / 180));
  return { lat: sixDecimals(lat + northKm / KM_PER_DEGREE), lng: sixDecimals(lng + eastDegrees) };
}

function sixDecimals(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}
