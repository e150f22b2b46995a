/** The beta distribution, by which exact intervals of shares are computed. */

const MAX_STEPS = 300;
const TINY = 1e-300;
const PRECISION = 1e-14;

/** The regularized incomplete beta function I_x(a, b), by its continued fraction (Lentz; Press et al. 2007, 6.4). */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  // The fraction converges fast on one side of the mean; the other side is its complement.
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, a, b)) / a
    : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

/** The x below which the share `probability` of a beta distribution lies, by bisection. */
export function betaQuantile(probability: number, a: number, b: number): number {
  let low = 0;
  let high = 1;
  while (high - low > 1e-10) {
    const middle = (low + high) / 2;
    if (incompleteBeta(middle, a, b) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The 97.5 % quantile of Student's t distribution, from that of the beta distribution. */
export function tQuantile(degrees: number): number {
  // t² / (degrees + t²) has the beta distribution (1/2, degrees/2), and 95 % of it belong to |t| below the quantile.
  const x = betaQuantile(0.95, 0.5, degrees / 2);
  return Math.sqrt((degrees * x) / (1 - x));
}

function betaFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m <= MAX_STEPS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    value *= d * c;
    if (Math.abs(d * c - 1) < PRECISION) break;
  }
  return value;
}

function away(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}

// Lanczos' approximation with g = 7 (Godfrey), to about 15 digits.
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function logGamma(z: number): number {
  if (z < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * z)) - logGamma(1 - z);
  const x = z - 1;
  const t = x + 7.5;
  const sum = LANCZOS.reduce(
    (total, coefficient, at) => total + (at === 0 ? coefficient : coefficient / (x + at)),
    0,
  );
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(sum);
}

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
