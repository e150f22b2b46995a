import { BoundedCache } from "./bounded-cache.ts";

/** Time as the service counts it: milliseconds since the Unix epoch inside, ISO 8601 in UTC outside. */

export const SECOND_MS = 1000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
/** How far a clock may be behind what was written before: rows, nights and the doctor agree on it. */
export const CLOCK_TOLERANCE_MS = 60_000;

/** The injected source of "now", in milliseconds since the epoch. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** Texts of the same few days stand in documents thousands of times; making one takes fifteen times as long as to find it. */
const isoTimes = new BoundedCache<number, string>(1000);

/** `2026-05-01T09:30:00Z`: UTC, whole seconds (rounded down). */
export function isoTime(ms: number): string {
  return isoTimes.take(ms, () => `${new Date(ms).toISOString().slice(0, 19)}Z`);
}

/** `Fri, 01 May 2026 09:30:00 GMT`: a date in headers of HTTP, in whole seconds (rounded down). */
export function httpDate(ms: number): string {
  return new Date(ms).toUTCString();
}

/** `2026-05-01`: the UTC date. */
export function isoDate(ms: number): string {
  return isoTime(ms).slice(0, 10);
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `29 Oct 2026` from the day of an ISO date or time, for sentences; data keeps ISO. */
export function dayText(iso: string): string {
  return `${Number(iso.slice(8, 10))} ${MONTHS[Number(iso.slice(5, 7)) - 1]} ${iso.slice(0, 4)}`;
}

export function utcDayStart(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** Hours that local solar time is ahead of UTC at a longitude, whole hours (design 7). */
export function solarOffsetHours(lng: number): number {
  return Math.round(lng / 15);
}

/** Days since 1970-01-01 in solar time, as an integer: what "one day" means for counting visits in a city. */
export function solarDayNumber(ms: number, offsetHours: number): number {
  return Math.floor((ms + offsetHours * HOUR_MS) / DAY_MS);
}

/** The instant, in UTC milliseconds, at which a solar day begins. */
export function solarDayStart(day: number, offsetHours: number): number {
  return day * DAY_MS - offsetHours * HOUR_MS;
}

/** The first instant, in UTC milliseconds, of the solar day of a city at `lng` degrees that contains `ms`. */
export function cityDayStart(ms: number, lng: number): number {
  const offsetHours = solarOffsetHours(lng);
  return solarDayStart(solarDayNumber(ms, offsetHours), offsetHours);
}

/** `2026-05-01`: the date of an instant in a city at `lng` degrees, by its solar time. Every date of an observation is this one. */
export function cityDate(ms: number, lng: number): string {
  const offsetHours = solarOffsetHours(lng);
  return isoDate(solarDayNumber(ms, offsetHours) * DAY_MS);
}

/** Days, ISO weeks and months, as ranges of day numbers since 1970-01-01. */
export type DaySpanKind = "day" | "week" | "month";

export interface DaySpan {
  readonly first: number; // day number
  readonly last: number; // day number, included
}

/** The time of solar days of a city at `lng` degrees: UTC milliseconds from the first instant, without `end`. Days may be infinite. */
export function solarSpan({ first, last }: DaySpan, lng: number): { from: number; end: number } {
  const offset = solarOffsetHours(lng);
  return { from: solarDayStart(first, offset), end: solarDayStart(last + 1, offset) };
}

const MONDAY_OFFSET = 3; // 1970-01-01, day 0, was a Thursday

/** The span of a kind that contains a day. */
export function spanOf(kind: DaySpanKind, day: number): DaySpan {
  if (kind === "day") return { first: day, last: day };
  if (kind === "week") {
    const first = weekStart(day);
    return { first, last: first + 6 };
  }
  const date = new Date(day * DAY_MS);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { first: Date.UTC(year, month, 1) / DAY_MS, last: Date.UTC(year, month + 1, 1) / DAY_MS - 1 };
}

/** The last day of the newest span of a kind that is over at the end of a day. */
export function lastSpanEnd(kind: DaySpanKind, day: number): number {
  const { first, last } = spanOf(kind, day);
  return last === day ? last : first - 1;
}

/** The Monday of the ISO week that contains a day. */
export function weekStart(day: number): number {
  return day - ((((day + MONDAY_OFFSET) % 7) + 7) % 7);
}

/** `2026-05`: the month of a day number. */
export function isoMonth(day: number): string {
  return monthOfDay(isoDate(day * DAY_MS));
}

/** `2026-05` of `2026-05-31` or of a time in that month. */
export function monthOfDay(day: string): string {
  return day.slice(0, "2026-05".length);
}

/** The number of a month such as `2026-05`: months that follow each other have numbers that do. */
export function monthNumber(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1;
}

/** The month of such a number. */
export function monthOf(number: number): string {
  return `${Math.floor(number / 12)}-${String((number % 12) + 1).padStart(2, "0")}`;
}

/** The day numbers of a month such as `2026-05`. */
export function monthSpan(month: string): DaySpan {
  return spanOf("month", Date.parse(`${month}-01`) / DAY_MS);
}
