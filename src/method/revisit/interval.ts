import { betaQuantile, tQuantile } from "./beta.ts";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** What one cluster contributes to a share: `hits` of `trials`. */
export interface Cluster {
  readonly hits: number;
  readonly trials: number;
}

/**
 * The exact 95 % interval of a share (Clopper and Pearson 1934), for independent trials. Also for fractions of trials, as effective
 * sample sizes are. Throws RangeError unless 0 <= hits <= trials and there is a trial.
 */
export function exactInterval(hits: number, trials: number): Interval {
  if (!(trials > 0) || hits < 0 || hits > trials)
    throw new RangeError(`${hits} hits of ${trials} trials have no share`);
  return {
    low: hits === 0 ? 0 : betaQuantile(0.025, hits, trials - hits + 1),
    high: hits === trials ? 1 : betaQuantile(0.975, hits + 1, trials - hits),
  };
}

/**
 * The 95 % interval of a share over clusters that were drawn at random and counted whole (Korn and Graubard 1998): the exact interval
 * for the effective number of trials, which is what the variance between clusters leaves of them. The variance is the jackknife's;
 * a share of 0 or 1 has none, and each cluster then counts as one trial. Throws RangeError for fewer than two clusters with trials.
 */
export function clusteredInterval(clusters: readonly Cluster[]): Interval {
  const counted = clusters.filter(({ trials }) => trials > 0);
  if (counted.length < 2) throw new RangeError("a variance between clusters needs two of them");
  const hits = sum(counted, (cluster) => cluster.hits);
  const trials = sum(counted, (cluster) => cluster.trials);
  const share = hits / trials;
  const effective = effectiveTrials(counted, hits, trials);
  return exactInterval(share === 1 ? effective : share * effective, effective);
}

function effectiveTrials(clusters: readonly Cluster[], hits: number, trials: number): number {
  const share = hits / trials;
  const variance = jackknifeVariance(clusters, hits, trials);
  if (share === 0 || share === 1) return clusters.length;
  if (variance === 0) return trials;
  // The variance itself is known only as well as the number of clusters allows.
  const certainty = tQuantile(trials - 1) / tQuantile(clusters.length - 1);
  return Math.min(trials, ((share * (1 - share)) / variance) * certainty ** 2);
}

/** Variance of hits / trials, from the shares that remain when any one cluster is left out. */
function jackknifeVariance(clusters: readonly Cluster[], hits: number, trials: number): number {
  const count = clusters.length;
  const without = clusters.map((cluster) => (hits - cluster.hits) / (trials - cluster.trials));
  const middle = sum(without, (share) => share) / count;
  return ((count - 1) / count) * sum(without, (share) => (share - middle) ** 2);
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
