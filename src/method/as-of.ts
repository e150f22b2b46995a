import { DAY_MS, isoDate, solarDayNumber, solarDayStart, solarOffsetHours } from "../kernel/time.ts";

/** The data time of a release in one city: the instant and its local solar day. */
export interface AsOf {
  readonly ms: number;
  readonly day: number; // the city's solar day number
  readonly offsetHours: number; // offset of solar time from UTC, ms
}

/** Returns `ms` since the epoch as the AsOf of a city at longitude `lng`. */
export function asOfAt(ms: number, lng: number): AsOf {
  const offsetHours = solarOffsetHours(lng);
  return { ms, day: solarDayNumber(ms, offsetHours), offsetHours };
}

/** Returns the last millisecond of a solar day in the same city, the meaning of "as of that day" in histories. */
export function endOfDay(day: number, { offsetHours }: AsOf): AsOf {
  return { ms: solarDayStart(day + 1, offsetHours) - 1, day, offsetHours };
}

/** Returns whole solar days from `day` to the day of `asOf`: 0 today, 1 yesterday, negative in the future. */
export function ageInDays(day: number, asOf: AsOf): number {
  return asOf.day - day;
}

/** Defines "the last N days": ages 0 to N - 1, including today. */
export function withinDays(day: number, asOf: AsOf, days: number): boolean {
  const age = ageInDays(day, asOf);
  return age >= 0 && age < days;
}

/** Formats a solar day number as a date: `2026-05-01`. */
export function dateOfDay(day: number): string {
  return isoDate(day * DAY_MS);
}
