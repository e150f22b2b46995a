import { DAY_MS, isoDate, solarDayNumber, solarDayStart, solarOffsetHours } from "../kernel/time.ts";

/** The `as_of` of a release in one city: the instant, and its solar day there. */
export interface AsOf {
  readonly ms: number;
  readonly day: number; // solar day number of the city
  readonly offsetHours: number; // solar time minus UTC
}

/** `ms` since the epoch, seen from a city at longitude `lng`. */
export function asOfAt(ms: number, lng: number): AsOf {
  const offsetHours = solarOffsetHours(lng);
  return { ms, day: solarDayNumber(ms, offsetHours), offsetHours };
}

/** The last millisecond of a solar day in the same city; histories use it as the `as_of` of that day. */
export function endOfDay(day: number, { offsetHours }: AsOf): AsOf {
  return { ms: solarDayStart(day + 1, offsetHours) - 1, day, offsetHours };
}

/** Whole solar days between `day` and the day of `asOf`: 0 today, 1 yesterday, negative in the future. */
export function ageInDays(day: number, asOf: AsOf): number {
  return asOf.day - day;
}

/** Whether `day` is in the last N days: ages 0 to N - 1, today included. */
export function withinDays(day: number, asOf: AsOf, days: number): boolean {
  const age = ageInDays(day, asOf);
  return age >= 0 && age < days;
}

/** `2026-05-01`: the calendar date of a solar day number. */
export function dateOfDay(day: number): string {
  return isoDate(day * DAY_MS);
}
