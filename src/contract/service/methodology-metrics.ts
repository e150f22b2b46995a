import { z } from "zod";
import { ConfidenceLevel, CoverageTier, DenominatorStatus, Freshness } from "../enums.ts";
import { Count, Ratio, Timestamp, Uri } from "../fields.ts";
import { MINIMUMS } from "../minimums.ts";
import { SCHEMA } from "../versions.ts";
import { ReportCounts } from "./report-counts.ts";

const Interval = z
  .looseObject({ low: Ratio, high: Ratio, level: Ratio, method: z.string() })
  .nullable()
  .describe("Of the precision; null where that is.");
const NotYetKnown = z
  .string()
  .nullable()
  .describe(
    `Why there is no value: fewer than ${MINIMUMS.reviewedObservations} observations were reviewed. Null where there is one.`,
  );

const Sample = z.looseObject({
  measures: z.string(),
  sample_size: Count.describe("Observations drawn; fewer than wanted when fewer were published."),
  reviewed: Count.describe("Found right or wrong in what is measured."),
  correct: Count.describe("Of `reviewed`."),
  undecided: Count.describe("Rejected for a reason that says nothing of what is measured."),
  precision: Ratio.nullable().describe(
    `\`correct\` of \`reviewed\`; null while fewer than ${MINIMUMS.reviewedObservations} were reviewed.`,
  ),
  confidence_interval: Interval,
  not_yet_known: NotYetKnown,
  observation_rows: z
    .array(z.int().positive())
    .describe("The sample: ledger rows of observations, in order."),
});
export type MethodologySample = z.infer<typeof Sample>;

const HeadlineMetric = z.looseObject({
  key: z.string(),
  label: z.string(),
  value: z.number().nullable().describe("Null: not yet known."),
  reviewed: Count.nullable().describe(
    "How many reviewed observations a precision rests on; null for a count.",
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
  active_records: Count.describe("Of these, the ones that the city's index has."),
  observations: Count.describe("Accepted observations of the listed records; rejected rows do not count."),
});

export const MethodologyMetrics = z
  .looseObject({
    schema: z.literal(SCHEMA.methodologyMetrics),
    generated_at: Timestamp,
    reporting_window: z
      .looseObject({ from: Timestamp, to: Timestamp, days: Count })
      .describe(
        "Samples and disputes are of what was published in it; the summary is of all that is listed.",
      ),
    urls: z.looseObject({ methodology: Uri, metrics: Uri, ledger_keys: Uri, verify: Uri }),
    summary: z.looseObject({
      verified_observations: Count.describe("Listed observations that are corroborated or verified."),
      strictly_verified_observations: Count.describe("Of these, the ones that a reviewer verified."),
    }),
    deprecated_fields: z.array(z.string()).describe("Names of fields that will go; none at present."),
    headline_metrics: z.array(HeadlineMetric),
    ocr_sample: Sample,
    entity_match_sample: Sample,
    dispute_metrics: z
      .looseObject({
        ...ReportCounts.shape,
        upheld_reviews: Count.describe("Of `review_rows`."),
        review_rows: z
          .array(z.int().positive())
          .describe("Ledger rows of reviews whose reason is a report that was checked."),
        note: z.string(),
      })
      .describe("Reports of problems, and reviews that one led to."),
    coverage_by_city: z
      .array(CityCoverage)
      .describe("Every published city, in the order of the list of cities."),
    limitations: z.array(z.string()).min(1),
  })
  .meta({
    id: "MethodologyMetrics",
    description: "How good the observations are found to be when they are checked, and where was looked.",
  });
export type MethodologyMetrics = z.infer<typeof MethodologyMetrics>;
