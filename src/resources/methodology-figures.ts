import { CoverageTier, VerificationState } from "../contract/enums.ts";
import type { ReadContext } from "./define.ts";

/** What the methodology came to in a release: the figures that the page shows above its text. */
export interface MethodologyFigures {
  readonly records: number;
  readonly syntheticRecords: number; // of `records`
  readonly observations: number; // listed ones, rejected ones included
  /** Every state, also those that no observation is in. */
  readonly states: readonly { readonly state: VerificationState; readonly observations: number }[];
  /** Every tier, also those that no city has. */
  readonly tiers: readonly { readonly tier: CoverageTier; readonly cities: number }[];
  readonly cohorts: readonly CityCohort[]; // in the order of the list of cities
}

/** What the pps of a city's ranked records are relative to. */
export interface CityCohort {
  readonly slug: string;
  readonly name: string;
  readonly records: number;
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
  return {
    records: total(records.map((tally) => tally.records)),
    syntheticRecords: total(records.map((tally) => (tally.isSynthetic ? tally.records : 0))),
    observations: total([...counted.values()]),
    states: VerificationState.options.map((state) => ({ state, observations: counted.get(state) ?? 0 })),
    tiers: CoverageTier.options.map((tier) => ({
      tier,
      cities: cities.filter(({ coverage }) => coverage.tier === tier).length,
    })),
    cohorts: cities.map(({ slug, name, recordCount, cohort }) => ({
      slug,
      name,
      records: recordCount,
      ...cohort,
    })),
  };
}

function total(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0);
}
