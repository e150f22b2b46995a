import { CoverageTier, VerificationState } from "../../contract/enums.ts";
import type { Samples } from "../../snapshot/fold/samples.ts";
import { activeRecords } from "../cities/city-object.ts";
import type { ReadContext } from "../define.ts";
import { PRECISION_LABELS } from "./methodology-metrics.ts";

type Sample = Samples["reading"];

/** Results of the methodology in a release, shown on its page. */
export interface MethodologyFigures {
  readonly records: number;
  readonly syntheticRecords: number; // of `records`
  readonly observations: number; // accepted observations
  readonly rows: number; // listed rows, including rejected ones
  /** All states, including empty ones; they sum to `rows`. */
  readonly states: readonly { readonly state: VerificationState; readonly observations: number }[];
  /** All tiers, including empty ones. */
  readonly tiers: readonly { readonly tier: CoverageTier; readonly cities: number }[];
  readonly cohorts: readonly CityCohort[]; // in the order of the list of cities
  readonly precisions: readonly SamplePrecision[];
}

/** Review results of a random sample. */
export interface SamplePrecision {
  readonly label: string;
  readonly drawn: number;
  readonly reviewed: number; // part of `drawn` judged right or wrong
  /** Null while too few are reviewed. */
  readonly known: { readonly precision: number; readonly low: number; readonly high: number } | null;
}

/** Cohort that the pps of a city's ranked records are relative to. */
export interface CityCohort {
  readonly slug: string;
  readonly name: string;
  readonly records: number; // listed records
  readonly dissolved: number; // of `records`
  readonly size: number; // eligible records
  /** Of the raw scores, 0 to 100; null when there are too few for a ranking. */
  readonly median: number | null;
  readonly spread: number | null;
}

/** Reads all records and observations: call it once. */
export function methodologyFigures({ snapshot }: ReadContext): MethodologyFigures {
  const records = snapshot.recordTallies();
  const counted = new Map(snapshot.stateTallies().map(({ state, observations }) => [state, observations]));
  const cities = snapshot.cities();
  const samples = snapshot.samples();
  return {
    records: total(records.map((tally) => tally.records)),
    syntheticRecords: total(records.map((tally) => (tally.isSynthetic ? tally.records : 0))),
    observations: total(records.map((tally) => tally.observations)),
    rows: total([...counted.values()]),
    states: VerificationState.options.map((state) => ({ state, observations: counted.get(state) ?? 0 })),
    tiers: CoverageTier.options.map((tier) => ({
      tier,
      cities: cities.filter(({ coverage }) => coverage.tier === tier).length,
    })),
    cohorts: cities.map((city) => ({
      slug: city.slug,
      name: city.name,
      records: city.recordCount,
      dissolved: city.recordCount - activeRecords(city),
      ...city.cohort,
    })),
    precisions: [
      precisionOf(PRECISION_LABELS.reading, samples.reading),
      precisionOf(PRECISION_LABELS.matching, samples.matching),
    ],
  };
}

function precisionOf(label: string, { rows, reviewed, precision, interval }: Sample): SamplePrecision {
  const known = precision === null || interval === null ? null : { precision, ...interval };
  return { label, drawn: rows.length, reviewed, known };
}

function total(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0);
}
