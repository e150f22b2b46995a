import { DAY_MS, HOUR_MS, isoDate } from "../../kernel/time.ts";

/** Where a calendar hangs. */
export interface CalendarPlace {
  readonly country: string; // ISO 3166
  readonly lng: number;
}

/** How far standard time may be from the time by the sun, as it is in Alaska. */
const MAX_DISTANCE_HOURS = 2.1;
/** All of China keeps one time, although its west has a zone. */
const ONE_ZONE: Readonly<Record<string, string>> = { CN: "Asia/Shanghai" };
/** For a country without known zones: summer time, and an hour for where the zone ends. */
const USUAL_HOURS = 2;

/**
 * The latest date that calendars at a place may show at an instant (ms). A country's zones are known, but not where each of them
 * lies: of those near the place the one farthest ahead is taken, which is at most two hours more than the place's own.
 */
export function latestDate(instant: number, place: CalendarPlace): string {
  return isoDate(instant + latestOffsetHours(instant, place) * HOUR_MS);
}

function latestOffsetHours(instant: number, { country, lng }: CalendarPlace): number {
  const year = new Date(instant).getUTCFullYear();
  const seasons = [Date.UTC(year, 0, 1), Date.UTC(year, 6, 1)];
  const zones = zonesOf(country).map((zone) => ({
    now: offsetHours(zone, instant),
    distance: distanceHours(Math.min(...seasons.map((season) => offsetHours(zone, season))), lng / 15),
  }));
  const nearest = Math.min(...zones.map(({ distance }) => distance));
  const near = zones.filter(({ distance }) => distance <= Math.max(nearest, MAX_DISTANCE_HOURS));
  return near.length === 0 ? lng / 15 + USUAL_HOURS : Math.max(...near.map(({ now }) => now));
}

function zonesOf(country: string): readonly string[] {
  const only = ONE_ZONE[country];
  if (only !== undefined) return [only];
  return /^[A-Z]{2}$/.test(country) ? (new Intl.Locale(`und-${country}`).getTimeZones() ?? []) : [];
}

function offsetHours(timeZone: string, instant: number): number {
  const minute = Math.floor(instant / 60_000) * 60_000;
  const parts = new Intl.DateTimeFormat("en", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  }).formatToParts(minute);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((each) => each.type === type)?.value);
  const local = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"));
  return (local - minute) / HOUR_MS;
}

/** On the clock: a place may be on the other side of the date line. */
function distanceHours(a: number, b: number): number {
  const apart = Math.abs(a - b) % 24;
  return Math.min(apart, 24 - apart);
}

/** A date that has begun somewhere on earth, and not everywhere: whether it has at a place is for `latestDate` to say. */
export function isBeginning(date: string, instant: number): boolean {
  const start = Date.parse(date);
  return instant >= start - EARLIEST_HOURS * HOUR_MS && instant < start + DAY_MS - LATEST_HOURS * HOUR_MS;
}

/** How far the calendars of the earth are ahead of UTC at most, and behind it. */
const EARLIEST_HOURS = 14;
const LATEST_HOURS = 12;
