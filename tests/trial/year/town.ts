/** What is seen in the town, day by day: the same businesses again and again. */
import { isoDate } from "../../../src/kernel/time.ts";
import { benchCities, benchObservations } from "../../support/towns/observations.ts";

export const SOURCE = "year-walks";
export const OBSERVERS = 6;
const SEED = 28;
const RECORDS = 45;

export type Line = Readonly<Record<string, unknown>>;

/** Lines by the UTC day on which they were seen. */
export function seenByDay(last: number, observations: number): Map<string, Line[]> {
  const days = new Map<string, Line[]>();
  const options = { seed: SEED, observations, records: RECORDS, cities: 1, end: last };
  let number = 0;
  for (const seen of benchObservations(options)) {
    const { recognition_model_version: _, ...line } = seen;
    const day = isoDate(Date.parse(seen.observed_at));
    const observer = observerId(number);
    const own = { ...line, source: SOURCE, source_type: "scout", source_ref: `year-${number}`, observer };
    days.set(day, [...(days.get(day) ?? []), own]);
    number += 1;
  }
  return days;
}

export function observerId(number: number): string {
  return `walker-${number % OBSERVERS}`;
}

/** Businesses that do not exist, from a feed that went wrong. */
export function wrongLines(name: string, count: number, at: string): Line[] {
  const [city] = benchCities(1);
  return Array.from({ length: count }, (_, number) => ({
    source: SOURCE,
    source_type: "scout",
    source_ref: `${name}-${number}`,
    observer: observerId(number),
    observed_at: at,
    lat: (city?.lat ?? 0) + (number % 20) / 1000,
    lng: (city?.lng ?? 0) + Math.floor(number / 20) / 1000,
    name: `${name} Works ${String.fromCharCode(65 + (number % 26)).repeat(1 + Math.floor(number / 26))}`,
    asset_type: "storefront",
  }));
}
