import { MINIMUMS } from "../../contract/minimums.ts";
import { NoParams } from "../../contract/params.ts";
import { MethodologyMetrics, type MethodologySample } from "../../contract/service/methodology-metrics.ts";
import { SCHEMA } from "../../contract/versions.ts";
import { DAY_MS, isoTime } from "../../kernel/time.ts";
import type { Samples } from "../../snapshot/fold/samples.ts";
import type { CityRow } from "../../snapshot/rows.ts";
import { activeRecords } from "../cities/city-object.ts";
import { defineResource } from "../define.ts";
import { keysUrl, methodologyMetricsUrl, methodologyUrl, verifyUrl } from "../links.ts";

const READING =
  "Whether the name on the sign was read right, among observations that a recognition model read.";
const MATCHING = "Whether the observation belongs to the record that it was put to.";

export const PRECISION_LABELS = { reading: "Precision of reading", matching: "Precision of matching" };

export const methodologyMetrics = defineResource({
  operationId: "getMethodologyMetrics",
  path: "/api/v1/methodology/metrics",
  summary: "How good the observations are found to be, measured by samples",
  description:
    "Computed from the ledger rows of the release, but for the counts of reports, which are the operator's. The samples are drawn by hashes that the seals fix, so anybody can draw them again; how is in the methodology.",
  pathParams: {},
  query: NoParams.shape,
  wire: MethodologyMetrics,
  example: { path: {}, query: {} },
  errors: [400],
  enumerate: () => [{}],
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

/** A headline that is a count rests on no sample. */
const COUNTED = { reviewed: null, confidence_interval: null, not_yet_known: null };

/** A precision never stands without the number of reviews that it rests on and its interval. */
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
  return `Not yet known: ${reviewed} of the at least ${MINIMUMS.reviewedObservations} observations that a precision needs were reviewed.`;
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
  "Reports are counted as the operator's books say; null: not measured. Nobody else can count them, for they are not published. Review rows are those of the reporting window whose reason is a report that was checked; a report may lead to several, to another kind of row, or to none.";

const LIMITATIONS = [
  "Precision is of what is listed: what nobody observed, and what was never taken in, is in no sample.",
  "A sample speaks for the observations of the window, not for those before it.",
  "Reviewers see pictures or the source's own words; where the source is wrong, they may be, too.",
  "Reviews of a sample are made by the operator. The rows are published, so that others can check them.",
  "Coverage of one city says nothing about another, and nothing observed is not nothing there.",
  "Synthetic records are in all counts; environments hold either demonstration data or real data.",
];
