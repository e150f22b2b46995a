import { z } from "zod";
import {
  AssetType,
  ConfidenceLevel,
  CoverageTier,
  DenominatorStatus,
  Freshness,
  SourceState,
  SourceType,
  Vetting,
} from "../enums.ts";
import { Count, Day, Ratio, Timestamp, Uri } from "../fields.ts";
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

const Month = z.string().regex(/^\d{4}-\d{2}$/);

const Source = z
  .looseObject({
    source: z.string().describe("Id, as `source` of an observation has it."),
    kind: SourceType,
    vetting: Vetting.describe(
      "`individual`: each observer is a principal of its own, unless enrolled under another. `collective`: all observers of the source together are one principal.",
    ),
    name: z.string().nullable().describe("Null when the operator of the service keeps it private."),
    operator: z
      .string()
      .nullable()
      .describe("Who operates the source; null where the operator of the service keeps it private."),
    licence: z.string().describe("Reference of the licence on file."),
    consent: z.string().describe("Reference of the consent on file."),
    asset_types: z.array(AssetType).describe("Asset types that the source can plausibly observe."),
    state: SourceState,
    registered_row: z.int().positive().describe("Ledger row that registered the source."),
    assigned: z
      .array(z.looseObject({ source_type: SourceType, from: Day, until: Day }))
      .describe("Always empty, because each row names its source. Kept for clients of version 1."),
  })
  .meta({
    id: "RegisteredSource",
    description: "A source of observations, as rows of the ledger register it.",
  });

const Check = z
  .looseObject({
    check: z.string().describe("Code, as in the monthly counts."),
    version: z.int().positive().describe("Increases when a change affects the check's findings."),
    decided_from: z
      .enum(["public_data", "private_traces"])
      .describe(
        "`public_data`: anyone can repeat the check, and `set_aside` of an observation is its code. `private_traces`: `set_aside` is `private_trace` for every such check.",
      ),
    effect: z
      .enum(["sets_aside", "raises_review"])
      .describe("Whether the check sets observations aside, or only asks reviewers."),
    looks_at: z.string(),
    parameters: z.array(z.looseObject({ name: z.string(), value: z.number() })),
  })
  .meta({
    id: "IndependenceCheck",
    description: "A check of whether observations are independent evidence.",
  });

const FalseAlarms = z
  .looseObject({
    reviewed: Count.describe("Observations of a random sample of set-aside ones that reviewers judged."),
    false_alarms: Count.describe("Of these, observations that should have counted."),
    rate: Ratio.nullable().describe(
      `\`false_alarms\` divided by \`reviewed\`; null for fewer than ${MINIMUMS.reviewedObservations} reviewed observations.`,
    ),
    confidence_interval: z
      .looseObject({ low: Ratio, high: Ratio, level: Ratio, method: z.string() })
      .nullable()
      .describe("Null where the rate is null."),
  })
  .meta({ id: "FalseAlarms", description: "How often the checks were wrong, by a reviewed random sample." });

const Withheld = `Null where fewer than ${MINIMUMS.people}: withheld, because so few could belong to one observer.`;

export const Independence = z
  .looseObject({
    schema: z.literal(SCHEMA.independence),
    data_as_of: Timestamp,
    independence_version: z.string(),
    notes: z.looseObject({
      principals: z.string(),
      standing: z.string(),
      delays: z.string(),
      private: z.string(),
    }),
    sources: z.array(Source).describe("In the order of registration, withdrawn ones included."),
    checks: z.array(Check).describe("In the order in which reasons are tried."),
    months: z
      .array(
        z.looseObject({
          month: Month.describe("UTC."),
          checks: z.array(
            z.looseObject({
              check: z.string(),
              set_aside: Count.nullable().describe(`Observations set aside in the month. ${Withheld}`),
              restored: Count.nullable().describe(`Observations that a review restored. ${Withheld}`),
            }),
          ),
          sample: FalseAlarms,
          vouched: z
            .array(
              z.looseObject({
                source: z.string(),
                observers: Count.nullable().describe(
                  `Observers that the operator vouched for at enrolment, at the end of the month. ${Withheld}`,
                ),
              }),
            )
            .describe("By source."),
        }),
      )
      .describe("Newest first; empty before the first month is over."),
    false_alarms: FalseAlarms.nullable().describe("Over all months; null without one."),
  })
  .meta({
    id: "Independence",
    description: "How the service decides which observations count as independent evidence.",
  });
export type Independence = z.infer<typeof Independence>;
