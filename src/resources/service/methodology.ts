import { CoverageTier, VerificationState } from "../../contract/enums.ts";
import { MINIMUMS } from "../../contract/limits.ts";
import { MethodologyMetrics, type MethodologySample } from "../../contract/service/methodology.ts";
import { SCHEMA } from "../../contract/versions.ts";
import { DAY_MS, isoTime } from "../../kernel/time.ts";
import type { Samples } from "../../snapshot/fold/samples.ts";
import type { CityRow } from "../../snapshot/rows.ts";
import { activeRecords } from "../cities/cities.ts";
import { defineDocument, type ReadContext } from "../define.ts";
import { keysUrl, methodologyMetricsUrl, methodologyUrl, verifyUrl } from "../links.ts";

const READING =
  "Names on signs that the recognition model read correctly, among observations read by a model.";
const MATCHING = "Observations that were matched with the right record.";

export const PRECISION_LABELS = { reading: "Reading precision", matching: "Matching precision" };

export const methodologyMetrics = defineDocument({
  operationId: "getMethodologyMetrics",
  path: "/api/v1/methodology/metrics",
  summary: "Get the measured quality of the observations",
  description:
    "Computed from the ledger rows of the release, except for report counts, which come from the operator. Samples are drawn by hashes that the seals determine, so anyone can redraw them as described in the methodology.",
  wire: MethodologyMetrics,
  load({ snapshot }) {
    const { asOf, baseUrl } = snapshot.release();
    const { from, reading, matching, reported } = snapshot.samples();
    const states = new Map(snapshot.stateTallies().map(({ state, observations }) => [state, observations]));
    const strictly = states.get("verified") ?? 0;
    const summary = {
      verified_observations: strictly + (states.get("corroborated") ?? 0),
      strictly_verified_observations: strictly,
    };
    return {
      schema: SCHEMA.methodologyMetrics,
      generated_at: isoTime(asOf),
      reporting_window: { from: isoTime(from), to: isoTime(asOf), days: Math.round((asOf - from) / DAY_MS) },
      urls: {
        methodology: methodologyUrl(baseUrl),
        metrics: methodologyMetricsUrl(baseUrl),
        ledger_keys: keysUrl(baseUrl),
        verify: verifyUrl(baseUrl),
      },
      summary,
      deprecated_fields: [],
      headline_metrics: headlines(summary, { reading, matching }),
      ocr_sample: sample(reading, READING),
      entity_match_sample: sample(matching, MATCHING),
      dispute_metrics: {
        ...snapshot.reportCounts(),
        upheld_reviews: reported.length,
        review_rows: [...reported],
        note: DISPUTE_NOTE,
      },
      coverage_by_city: snapshot.cities().map(cityCoverage),
      limitations: LIMITATIONS,
    };
  },
});

function headlines(
  summary: MethodologyMetrics["summary"],
  { reading, matching }: Pick<Samples, "reading" | "matching">,
): MethodologyMetrics["headline_metrics"] {
  return [
    {
      key: "verified_observations",
      label: "Verified observations",
      value: summary.verified_observations,
      ...COUNTED,
      definition: "Listed observations that another observer corroborated or a reviewer verified.",
    },
    {
      key: "strictly_verified_observations",
      label: "Strictly verified observations",
      value: summary.strictly_verified_observations,
      ...COUNTED,
      definition: "Listed observations that a reviewer verified.",
    },
    { key: "ocr_precision", label: PRECISION_LABELS.reading, ...precisionOf(reading), definition: READING },
    {
      key: "entity_match_precision",
      label: PRECISION_LABELS.matching,
      ...precisionOf(matching),
      definition: MATCHING,
    },
  ];
}

/** A headline count without a sample. */
const COUNTED = { reviewed: null, confidence_interval: null, not_yet_known: null };

/** A precision with its number of reviews and its interval. */
function precisionOf({ precision, reviewed, interval }: Samples["reading"]) {
  return {
    value: precision,
    reviewed,
    confidence_interval: intervalWire(interval),
    not_yet_known: notYetKnown(precision, reviewed),
  };
}

function intervalWire(interval: Samples["reading"]["interval"]) {
  return interval === null ? null : { ...interval, level: 0.95, method: "wilson" };
}

function notYetKnown(precision: number | null, reviewed: number): string | null {
  if (precision !== null) return null;
  return `Not yet known: a precision needs at least ${MINIMUMS.reviewedObservations} reviewed observations (currently ${reviewed}).`;
}

function sample(result: Samples["reading"], measures: string): MethodologySample {
  const { rows, reviewed, correct, undecided, precision, interval } = result;
  return {
    measures,
    sample_size: rows.length,
    reviewed,
    correct,
    undecided,
    precision,
    confidence_interval: intervalWire(interval),
    not_yet_known: notYetKnown(precision, reviewed),
    observation_rows: [...rows],
  };
}

function cityCoverage(city: CityRow): MethodologyMetrics["coverage_by_city"][number] {
  const { tier, level, freshness, metrics } = city.coverage;
  return {
    slug: city.slug,
    name: city.name,
    tier,
    level,
    freshness,
    denominator_status: city.denominatorReviewed ? "reviewed" : "unreviewed",
    observed_eligible_cells_90d: metrics.observed_eligible_cells_90d,
    eligible_coverage_cells: metrics.eligible_coverage_cells,
    cell_coverage_ratio_90d: metrics.cell_coverage_ratio_90d,
    records: city.recordCount,
    active_records: activeRecords(city),
    observations: city.observationCount,
  };
}

const DISPUTE_NOTE =
  "The operator counts the reports; null means not measured. Others cannot recount them, because reports are not published. Review rows are rows of the reporting window that resulted from a checked report. A report may result in several rows, in another kind of row, or in none.";

const LIMITATIONS = [
  "Precision covers listed observations only. Samples cannot include what was never observed or never accepted.",
  "A sample represents the observations of its window, not earlier ones.",
  "Reviewers see pictures or the source's own words. When the source is wrong, they may be wrong, too.",
  "The operator reviews the samples. The rows are published, so others can check them.",
  "Coverage of one city says nothing about another. A lack of observations is not evidence of absence.",
  "All counts include synthetic records. An environment has either demonstration data or real data.",
];

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
      reviewedSample(PRECISION_LABELS.reading, samples.reading),
      reviewedSample(PRECISION_LABELS.matching, samples.matching),
    ],
  };
}

/** Review results of a random sample: of `drawn`, `reviewed` were judged right or wrong; `known` is null while too few are. */
function reviewedSample(label: string, { rows, reviewed, precision, interval }: Sample) {
  const known = precision === null || interval === null ? null : { precision, ...interval };
  return { label, drawn: rows.length, reviewed, known };
}

function total(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0);
}
