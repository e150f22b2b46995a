import { DAY_MS } from "./time.ts";

/** Days, ISO weeks and months, as ranges of day numbers since 1970-01-01. */
export type DaySpanKind = "day" | "week" | "month";

export interface DaySpan {
  readonly first: number; // day number
  readonly last: number; // day number, included
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
