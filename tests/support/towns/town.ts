/** One invented city with invented businesses, as files and commands of an operator. Same options, same lines. */

import type { ObservationInput } from "../../../src/intake/lines/observation-input.ts";
import type { Operator } from "../operations/operator.ts";
import { BENCH_CITY_RADIUS_KM, benchCities, benchObservations } from "./observations.ts";
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

/** A catalogue of one city in GeoNames' dump format: the default one is thousands of times larger, and a release holds it. */
export function gazetteerDump(): string {
  return benchCities(1)
    .map(({ geonameId, name, asciiName, lat, lng, countryCode, regionCode, population }) =>
      [geonameId, name, asciiName, "", lat, lng, "P", "PPL", countryCode, "", regionCode]
        .concat(["", "", "", population, "", "", "UTC", "2026-01-01"])
        .join("\t"),
    )
    .join("\n");
}

/** A demonstration ledger with the town registered and nothing observed yet. */
export async function foundTown(operator: Operator): Promise<void> {
  await operator.ok(["init", "--origin", "test.example/presence", "--environment", "demo"]);
  await operator.ok(["gazetteer", "import", operator.write("cities.txt", gazetteerDump())]);
  const [city] = benchCities(1);
  const place = ["--geoname", String(city?.geonameId), "--radius-km", String(BENCH_CITY_RADIUS_KM)];
  await operator.ok(["city", "add", ...place, "--clock", DAYS.register]);
  registerSourcesOf(operator, 1, DAYS.register);
}

/** The town, observed and sealed: ready to build. */
export async function observedTown(operator: Operator, options: TownOptions): Promise<void> {
  await foundTown(operator);
  const file = operator.write("observations.ndjson", ndjson(townObservations(options)));
  await operator.ok(["ingest", file, "--synthetic", "--clock", DAYS.ingest]);
  await operator.ok(["seal", "--now", "--clock", DAYS.seal]);
}
