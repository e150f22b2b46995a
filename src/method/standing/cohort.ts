import { mean, median, round9 } from "../numbers.ts";
import { PARAMETERS } from "../parameters.ts";

export interface CohortResult {
  readonly pps: number; // 0..100, rounded to 1e-9; publish with `publishedNumber`
  readonly percentile: number; // 0..100
  readonly rank: number; // dense, 1 = highest pps
}

export interface Cohort {
  readonly median: number; // median of the raw scores
  readonly spread: number; // robust spread that scales pps
  readonly results: ReadonlyMap<number, CohortResult>;
}

/** Returns score, percentile and rank of each eligible record of a city; undefined for fewer than 5. Ids must differ. */
export function rankCohort(
  entries: readonly { readonly id: number; readonly raw: number }[],
): Cohort | undefined {
  if (entries.length < PARAMETERS.cohort.minimum) return undefined;
  const raws = entries.map(({ raw }) => raw);
  const centre = median(raws) ?? 0;
  const spread = spreadAround(centre, raws);
  const scored = entries.map(({ id, raw }) => ({ id, pps: ppsOf(raw, { median: centre, spread }) }));
  return { median: centre, spread, results: ranked(scored) };
}

/** The pps of a raw score in a cohort. */
export function ppsOf(raw: number, { median: centre, spread }: Pick<Cohort, "median" | "spread">): number {
  return round9(100 / (1 + Math.exp(-(raw - centre) / spread)));
}

/**
 * 1.4826 MAD and 1.2533 mean absolute deviation both estimate the standard deviation of a normal cohort. The larger one
 * handles cohorts with many ties, and the floor limits the spread of nearly equal scores.
 */
function spreadAround(centre: number, raws: readonly number[]): number {
  const { madFactor, meanDeviationFactor, smallestSpread } = PARAMETERS.cohort;
  const deviations = raws.map((raw) => Math.abs(raw - centre));
  const byMedian = madFactor * (median(deviations) ?? 0);
  const byMean = meanDeviationFactor * (mean(deviations) ?? 0);
  return Math.max(byMedian, byMean, smallestSpread);
}

function ranked(scored: readonly { readonly id: number; readonly pps: number }[]): Map<number, CohortResult> {
  const levels = Map.groupBy(
    scored.toSorted((a, b) => b.pps - a.pps),
    ({ pps }) => pps,
  );
  const results = new Map<number, CohortResult>();
  let below = scored.length;
  let rank = 0;
  for (const [pps, ties] of levels) {
    rank += 1;
    below -= ties.length;
    const percentile = (100 * (below + ties.length / 2)) / scored.length;
    for (const { id } of ties) results.set(id, { pps, percentile, rank });
  }
  return results;
}
