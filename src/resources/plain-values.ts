import { isoTime } from "../kernel/time.ts";

/** How rows become wire values where null means "unknown". */

export function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

/** Scores and percentiles are published with two decimals (design 7); ranks are made from the full precision. */
export function twoDecimals(value: number): number {
  return Math.round(value * 100) / 100;
}

export function twoDecimalsOrNull(value: number | null): number | null {
  return value === null ? null : twoDecimals(value);
}
