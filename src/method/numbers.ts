/** Rounding and averages, shared by the formulas. */

/** Rounds to 1e-9 before ranking, so that summation order never splits a tie (design 7). */
export function round9(value: number): number {
  return Math.round(value * 1e9) / 1e9;
}

/** Rounds scores and percentiles to the two published decimals. */
export function publishedNumber(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Rounds shares (0..1) to the four published decimals; 0 when the whole is 0. */
export function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1e4) / 1e4;
}

/** Median: the mean of the two middle values for an even count; undefined for an empty list. */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
}

/** Arithmetic mean, summed in ascending order so input order does not matter; undefined for an empty list. */
export function mean(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.toSorted((a, b) => a - b).reduce((sum, value) => sum + value, 0) / values.length;
}
