import { mean } from "../../src/method/numbers.ts";

export const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Ranks from 0 to 1, ties sharing the mean of theirs. */
export function shares(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  const firsts = new Map(sorted.toReversed().map((value, index) => [value, sorted.length - 1 - index]));
  const lasts = new Map(sorted.map((value, index) => [value, index]));
  return values.map(
    (value) => ((firsts.get(value) ?? 0) + (lasts.get(value) ?? 0)) / 2 / Math.max(1, sorted.length - 1),
  );
}

/** Spearman's rank correlation; undefined where one side has no variance. */
export function spearman(xs: readonly number[], ys: readonly number[]): number | undefined {
  const [a, b] = [shares(xs), shares(ys)];
  const [meanA, meanB] = [mean(a) ?? 0, mean(b) ?? 0];
  const covariance = sum(a.map((x, index) => (x - meanA) * ((b[index] ?? 0) - meanB)));
  const spread = Math.sqrt(sum(a.map((x) => (x - meanA) ** 2)) * sum(b.map((y) => (y - meanB) ** 2)));
  return spread === 0 ? undefined : covariance / spread;
}
