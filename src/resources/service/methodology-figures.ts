import { CoverageTier, VerificationState } from "../../contract/enums.ts";
import type { Samples } from "../../snapshot/fold/samples.ts";
import { activeRecords } from "../cities/city-object.ts";
import type { ReadContext } from "../define.ts";
import { PRECISION_LABELS } from "./methodology-metrics.ts";

type Sample = Samples["reading"];

/** What the methodology came to in a release: the figures that the page shows above its text. */
export interface MethodologyFigures {
  readonly records: number;
  readonly syntheticRecords: number; // of `records`
  readonly observations: number; // accepted ones
  readonly rows: number; // listed ones, rejected ones included
  /** Every state, also those that no row is in; together they are `rows`. */
  readonly states: readonly { readonly state: VerificationState; readonly observations: number }[];
  /** Every tier, also those that no city has. */
  readonly tiers: readonly { readonly tier: CoverageTier; readonly cities: number }[];
  readonly cohorts: readonly CityCohort[]; // in the order of the list of cities
  readonly precisions: readonly SamplePrecision[];
}

/** What the reviews of a random sample came to. */
export interface SamplePrecision {
  readonly label: string;
  readonly drawn: number;
  readonly reviewed: number; // of `drawn`: found right or wrong
  /** Null while too few were reviewed to tell. */
  readonly known: { readonly precision: number; readonly low: number; readonly high: number } | null;
}

/** What the pps of a city's ranked records are relative to. */
export interface CityCohort {
  readonly slug: string;
  readonly name: string;
  readonly records: number; // listed ones
  readonly dissolved: number; // of `records`
  readonly size: number; // eligible records
  /** Of their raw scores, 0 to 100; null when they are too few to be ranked. */
  readonly median: number | null;
  readonly spread: number | null;
}

/** Reads every record and observation: call it once. */
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
