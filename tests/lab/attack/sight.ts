/** What an attack works on: the rows that the newest release shows, and, for scoring alone, what each really is. */

import {
  DAY_MS,
  HOUR_MS,
  solarDayNumber,
  solarDayStart,
  solarOffsetHours,
} from "../../../src/kernel/time.ts";
import type { Played } from "./play.ts";
import type { SeenRow } from "./public-reader.ts";
import type { Visit } from "./world.ts";

export interface Sight {
  readonly row: SeenRow;
  readonly visit: Visit; // the truth
  /** The city's solar day of the published time, as a number of days. */
  readonly day: number;
  /** The published hour, where there is one: a time that is not the beginning of the solar day. */
  readonly shownHour: number | undefined;
  /** Days from the solar day to the UTC day of acceptance. */
  readonly lag: number;
}

/** By row number. */
export function sightsOf({ releases, truth }: Played): Sight[] {
  return (releases.at(-1)?.observations ?? []).flatMap((row) => {
    const visit = truth.get(row.id);
    return visit === undefined ? [] : [sightOf(row, visit)];
  });
}

export function sightOf(row: SeenRow, visit: Visit): Sight {
  const offset = solarOffsetHours(visit.city.place.lng);
  const observed = Date.parse(row.observed_at);
  const day = solarDayNumber(observed, offset);
  const hour = Math.floor((observed - solarDayStart(day, offset)) / HOUR_MS);
  return {
    row,
    visit,
    day,
    shownHour: hour === 0 ? undefined : hour,
    lag: Math.floor(Date.parse(row.accepted_at) / DAY_MS) - day,
  };
}

/** Groups in which a reader may know the habits: the city, the kind of asset and the kind of source. */
export function habitOf({ row }: Sight): string {
  return [row.city, row.asset_type, row.source_type].join(" ");
}

export function modeOf<T>(values: Iterable<T>): { readonly value: T; readonly share: number } | undefined {
  const counts = new Map<T, number>();
  let total = 0;
  for (const value of values) {
    counts.set(value, (counts.get(value) ?? 0) + 1);
    total += 1;
  }
  const [best] = [...counts].sort((a, b) => b[1] - a[1]);
  return best && { value: best[0], share: best[1] / total };
}
