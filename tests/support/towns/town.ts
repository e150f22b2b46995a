/** Invented cities with invented businesses, as files and commands of an operator. Same options, same lines. */

import type { GazetteerCity } from "../../../src/contract/cities/city.ts";
import type { ObservationInput } from "../../../src/intake/lines/observation-input.ts";
import type { Operator } from "../operations/operator.ts";
import { BENCH_CITY_RADIUS_KM, benchCities, benchObservations, benchObserverIds } from "./observations.ts";
import { registerSourcesOf } from "./sources.ts";

export const TOWN_SLUG = "bench-city-1";

/** The days of the demonstration's life: everything is observed before the town is registered. */
export const DAYS = {
  end: Date.UTC(2026, 4, 1),
  register: "2026-05-01T06:00:00Z",
  ingest: "2026-05-01T07:00:00Z",
  seal: "2026-05-01T08:00:00Z",
} as const;

export interface TownOptions {
  readonly seed: number;
  readonly observations: number;
  readonly records: number;
}

export function townObservations(options: TownOptions): Generator<ObservationInput> {
  return benchObservations({ ...options, cities: 1, end: DAYS.end });
}

export function ndjson(values: Iterable<unknown>): string {
  return [...values].map((value) => `${JSON.stringify(value)}\n`).join("");
}

/** A catalogue of few cities in GeoNames' dump format: the default one is thousands of times larger, and a release holds it. */
export function gazetteerDump(cities: readonly GazetteerCity[] = benchCities(1)): string {
  return cities
    .map(({ geonameId, name, asciiName, lat, lng, countryCode, regionCode, population }) =>
      [geonameId, name, asciiName, "", lat, lng, "P", "PPL", countryCode, "", regionCode]
        .concat(["", "", "", population, "", "", "UTC", "2026-01-01"])
        .join("\t"),
    )
    .join("\n");
}

export interface Founding {
  readonly cities: readonly GazetteerCity[];
  readonly radiusKm?: number;
  /** Those whom the operator vouches for. */
  readonly observers: readonly string[];
  readonly at: string;
}

/** A demonstration ledger with cities, sources and observers, and nothing observed yet. */
export async function found(
  operator: Operator,
  { cities, radiusKm = BENCH_CITY_RADIUS_KM, observers, at }: Founding,
): Promise<void> {
  await operator.ok(["init", "--origin", "test.example/presence", "--environment", "demo"]);
  const catalog = operator.write("cities.txt", gazetteerDump(cities));
  for (const { geonameId } of cities) {
    const place = ["--geoname", String(geonameId), "--radius-km", String(radiusKm)];
    await operator.ok(["city", "add", "--gazetteer", catalog, ...place, "--clock", at]);
  }
  registerSourcesOf(operator, observers, at);
}

/** The same with the first of the invented cities. */
export function foundTown(operator: Operator, count = 1): Promise<void> {
  const founding = { cities: benchCities(count), observers: benchObserverIds(count), at: DAYS.register };
  return found(operator, founding);
}

/** The town, observed and sealed: ready to build. */
export async function observedTown(operator: Operator, options: TownOptions): Promise<void> {
  await foundTown(operator);
  const file = operator.write("observations.ndjson", ndjson(townObservations(options)));
  await operator.ok(["ingest", file, "--synthetic", "--clock", DAYS.ingest]);
  await operator.ok(["seal", "--now", "--clock", DAYS.seal]);
}
