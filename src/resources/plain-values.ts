/** Conversion of rows to wire values, where null means unknown. */
import { cityDate, isoTime } from "../kernel/time.ts";

/** Conversions from rows to wire values, where null means "unknown". */

export function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

/** First and last observation times, with their days in the city at `lng` degrees. */
export function observedSpan(
  {
    firstObserved,
    lastObserved,
  }: { readonly firstObserved: number | null; readonly lastObserved: number | null },
  lng: number | undefined,
) {
  return {
    first_observed: timeOrNull(firstObserved),
    first_observed_on: cityDateOrNull(firstObserved, lng),
    last_observed: timeOrNull(lastObserved),
    last_observed_on: cityDateOrNull(lastObserved, lng),
  };
}

/** Day in the city at `lng` degrees; null without a time or a city. */
export function cityDateOrNull(ms: number | null, lng: number | undefined): string | null {
  return ms === null || lng === undefined ? null : cityDate(ms, lng);
}

/** Rounds scores and percentiles to two decimals (design 7). Ranks use full precision. */
export function twoDecimals(value: number): number {
  return Math.round(value * 100) / 100;
}

export function twoDecimalsOrNull(value: number | null): number | null {
  return value === null ? null : twoDecimals(value);
}
