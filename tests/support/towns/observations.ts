import type { GazetteerCity } from "../../../src/contract/cities/city.ts";
import type { SourceType } from "../../../src/contract/enums.ts";
import type { ObservationInput } from "../../../src/intake/lines/observation-input.ts";
import { seededRandom } from "../../../src/kernel/seeded.ts";
import { DAY_MS, isoTime } from "../../../src/kernel/time.ts";

export interface WorldOptions {
  readonly seed: number;
  readonly observations: number;
  readonly records: number;
  readonly cities: number;
  /** The last instant at which anything is observed, in ms. */
  readonly end: number;
}

export const BENCH_CITY_RADIUS_KM = 8;

/** A city of a country that does not exist: nothing real is meant. */
export function inventedCity(
  city: Pick<GazetteerCity, "geonameId" | "name" | "population" | "lat" | "lng">,
): GazetteerCity {
  const country = { region: "Benchland", regionCode: "BL", countryCode: "XB", countryName: "Benchland" };
  return { ...city, asciiName: city.name, ...country };
}

/** Invented cities, far enough from one another and at sea for the most part. */
export function benchCities(count: number): GazetteerCity[] {
  return Array.from({ length: count }, (_, at) =>
    inventedCity({
      geonameId: 900_000_001 + at,
      name: `Bench City ${at + 1}`,
      population: 100_000 + at,
      lat: -45 + (at % 10) * 9,
      lng: -150 + Math.floor(at / 10) * 7,
    }),
  );
}

const WORDS =
  "amber birch cedar delta ember fern grove harbor iris juniper kite linden maple north olive pine quartz river stone tulip".split(
    " ",
  );
const TRADES = [
  "Pizza",
  "Dental",
  "Plumbing",
  "Books",
  "Bakery",
  "Auto Repair",
  "Pharmacy",
  "Consulting",
  "Flowers",
  "Hotel",
];
const SOURCES = ["fleet_cam", "scout", "telematics_api", "seed_survey"] as const;
const TYPES = [
  "storefront",
  "storefront",
  "storefront",
  "site_sign",
  "billboard",
  "vehicle_wrap",
  "temp_sign",
] as const;
const JITTER_DEGREES = 0.0001; // about ten metres
const SPREAD_DEGREES = 0.04;
const OBSERVERS = 40; // in each city
const DAYS = 365;

/**
 * Observations of invented businesses over the year before `end`, in no order of time. Each record is seen at one place,
 * a few metres off each time, by some of the city's observers; popular records are seen far more often than others.
 */
export function* benchObservations(options: WorldOptions): Generator<ObservationInput> {
  const random = seededRandom(options.seed);
  const pick = <T>(list: readonly [T, ...T[]]): T => list[Math.floor(random() * list.length)] ?? list[0];
  const cities = benchCities(options.cities);
  for (let number = 0; number < options.observations; number++) {
    const record = Math.floor(random() ** 2 * options.records);
    const city = cities[record % cities.length];
    if (city === undefined) return;
    const own = seededRandom(options.seed ^ Math.imul(record + 1, 0x9e3779b1));
    const lat = city.lat + (own() - 0.5) * SPREAD_DEGREES;
    const lng = city.lng + (own() - 0.5) * SPREAD_DEGREES;
    const type = TYPES[Math.floor(own() * TYPES.length)] ?? TYPES[0];
    const jitter = () => (random() - 0.5) * JITTER_DEGREES;
    const source = pick(SOURCES);
    yield {
      source: benchSource(source),
      source_type: source,
      source_ref: `bench-${options.seed}-${number}`,
      observer: observerId(record % cities.length, Math.floor(random() * OBSERVERS)),
      observed_at: isoTime(options.end - Math.floor(random() * DAYS * DAY_MS)),
      lat: rounded(lat + jitter()),
      lng: rounded(lng + jitter()),
      name: recordName(record),
      asset_type: type,
      legibility: Math.round(random() * 100) / 100,
      recognition_model_version: "bench-1",
    };
  }
}

/** The registered source of a kind (`registerTownSources`). */
export function benchSource(kind: SourceType): string {
  return `bench-${kind.replaceAll("_", "-")}`;
}

export function benchObserverIds(cities: number): string[] {
  return Array.from({ length: cities * OBSERVERS }, (_, at) =>
    observerId(Math.floor(at / OBSERVERS), at % OBSERVERS),
  );
}

function observerId(city: number, number: number): string {
  return `observer-${city}-${number}`;
}

/** A name of its own for each record, in words that a sign could bear. */
export function recordName(record: number): string {
  const word = (at: number) => titled(WORDS[at % WORDS.length] ?? "");
  const first = word(record);
  const second = word(Math.floor(record / WORDS.length));
  const third = word(Math.floor(record / WORDS.length ** 2));
  const turn = Math.floor(record / WORDS.length ** 3);
  return `${first} ${second} ${third}${turn === 0 ? "" : ` ${turn + 1}`} ${TRADES[record % TRADES.length]}`;
}

function titled(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function rounded(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}

const CHUNK_BYTES = 262_144;

/** Observations as NDJSON, in chunks as a file would be read. */
export function* ndjsonChunks(observations: Iterable<ObservationInput>): Generator<Buffer> {
  let text = "";
  for (const observation of observations) {
    text += `${JSON.stringify(observation)}\n`;
    if (text.length < CHUNK_BYTES) continue;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(text);
}
