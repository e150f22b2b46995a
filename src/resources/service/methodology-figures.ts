import { CoverageTier, VerificationState } from "../../contract/enums.ts";
import type { Samples } from "../../snapshot/fold/samples.ts";
import { activeRecords } from "../cities/cities.ts";
import type { ReadContext } from "../define.ts";
import { PRECISION_LABELS } from "./methodology-metrics.ts";

type Sample = Samples["reading"];

/** Results of the methodology in a release, shown on its page. Reads all records and observations: call it once. */
export function methodologyFigures({ snapshot }: ReadContext) {
  const records = snapshot.recordTallies();
  const counted = new Map(snapshot.stateTallies().map(({ state, observations }) => [state, observations]));
  const cities = snapshot.cities();
  const samples = snapshot.samples();
  return {
    records: total(records.map((tally) => tally.records)),
    syntheticRecords: total(records.map((tally) => (tally.isSynthetic ? tally.records : 0))), // of `records`
    observations: total(records.map((tally) => tally.observations)), // accepted observations
    rows: total([...counted.values()]), // listed rows, including rejected ones
    // All states and tiers, including empty ones; the states sum to `rows`.
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

/** Review results of a random sample: of `drawn`, `reviewed` were judged right or wrong; `known` is null while too few are. */
function precisionOf(label: string, { rows, reviewed, precision, interval }: Sample) {
  const known = precision === null || interval === null ? null : { precision, ...interval };
  return { label, drawn: rows.length, reviewed, known };
}

function total(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0);
}
