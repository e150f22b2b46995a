import { z } from "zod";
import { ConfidenceLevel, CoverageTier, DenominatorStatus, Freshness } from "../enums.ts";
import { Count, Ratio, Timestamp, Uri } from "../fields.ts";
import { MINIMUMS } from "../limits.ts";
import { SCHEMA } from "../versions.ts";
import { ReportCounts } from "./status.ts";

const Interval = z
  .looseObject({ low: Ratio, high: Ratio, level: Ratio, method: z.string() })
  .nullable()
  .describe("Confidence interval of the precision; null when the precision is null.");
const NotYetKnown = z
  .string()
  .nullable()
  .describe(
    `Why the value is missing: fewer than ${MINIMUMS.reviewedObservations} reviewed observations. Null when there is a value.`,
  );

const Sample = z.looseObject({
  measures: z.string(),
  sample_size: Count.describe("Observations drawn; fewer than the target when fewer were published."),
  reviewed: Count.describe("Observations judged right or wrong on the measured point."),
  correct: Count.describe("Reviewed observations judged right."),
  undecided: Count.describe("Observations rejected for a reason unrelated to the measured point."),
  precision: Ratio.nullable().describe(
    `\`correct\` divided by \`reviewed\`; null for fewer than ${MINIMUMS.reviewedObservations} reviewed observations.`,
  ),
  confidence_interval: Interval,
  not_yet_known: NotYetKnown,
  observation_rows: z
    .array(z.int().positive())
    .describe("Ledger rows of the sampled observations, in ascending order."),
});
export type MethodologySample = z.infer<typeof Sample>;

const HeadlineMetric = z.looseObject({
  key: z.string(),
  label: z.string(),
  value: z.number().nullable().describe("Null while not yet known."),
  reviewed: Count.nullable().describe(
    "Number of reviewed observations behind a precision; null for a count.",
  ),
  confidence_interval: Interval,
  not_yet_known: NotYetKnown,
  definition: z.string(),
});

const CityCoverage = z.looseObject({
  slug: z.string(),
  name: z.string(),
  tier: CoverageTier,
  level: ConfidenceLevel,
  freshness: Freshness,
  denominator_status: DenominatorStatus,
  observed_eligible_cells_90d: Count,
  eligible_coverage_cells: Count,
  cell_coverage_ratio_90d: Ratio,
  records: Count.describe("Listed records, dissolved ones included."),
  active_records: Count.describe("Listed records in the city's index."),
  observations: Count.describe("Accepted observations of the listed records."),
});

export const MethodologyMetrics = z
  .looseObject({
    schema: z.literal(SCHEMA.methodologyMetrics),
    generated_at: Timestamp,
    reporting_window: z
      .looseObject({ from: Timestamp, to: Timestamp, days: Count })
      .describe(
        "Samples and disputes cover observations published in this window; the summary covers all listed observations.",
      ),
    urls: z.looseObject({ methodology: Uri, metrics: Uri, ledger_keys: Uri, verify: Uri }),
    summary: z.looseObject({
      verified_observations: Count.describe("Listed observations that are corroborated or verified."),
      strictly_verified_observations: Count.describe("Listed observations verified by a reviewer."),
    }),
    deprecated_fields: z.array(z.string()).describe("Names of fields scheduled for removal; currently none."),
    headline_metrics: z.array(HeadlineMetric),
    ocr_sample: Sample,
    entity_match_sample: Sample,
    dispute_metrics: z
      .looseObject({
        ...ReportCounts.shape,
        upheld_reviews: Count.describe("Number of `review_rows`."),
        review_rows: z
          .array(z.int().positive())
          .describe("Ledger rows of reviews that resulted from a checked report."),
        note: z.string(),
      })
      .describe("Reports of problems and the reviews that resulted from them."),
    coverage_by_city: z
      .array(CityCoverage)
      .describe("All published cities, in the order of the list of cities."),
    limitations: z.array(z.string()).min(1),
  })
  .meta({
    id: "MethodologyMetrics",
    description: "Measured quality of the observations, and coverage by city.",
  });
export type MethodologyMetrics = z.infer<typeof MethodologyMetrics>;
