/** Rounding and middle values, shared by the formulas. */

/** To 1e-9: what is ranked is rounded first, so that the order of a summation can never split a tie (design 7). */
export function round9(value: number): number {
  return Math.round(value * 1e9) / 1e9;
}

/** To the two decimals in which scores and percentiles are published. */
export function publishedNumber(value: number): number {
  return Math.round(value * 100) / 100;
}

/** To the four decimals in which shares (0..1) are published; 0 for a share of nothing. */
export function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1e4) / 1e4;
}

/** The middle value, or the mean of the two middle ones; undefined for an empty list. */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
}

/** The arithmetic mean, summed in ascending order so that the order of the input does not matter; undefined if empty. */
export function mean(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.toSorted((a, b) => a - b).reduce((sum, value) => sum + value, 0) / values.length;
}
