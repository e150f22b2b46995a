import { z } from "zod";
import { ConfidenceLevel, CoverageTier, DenominatorStatus, Freshness } from "../enums.ts";
import { carriedFields, envelopeFields } from "../envelope.ts";
import { Count, Day, Demand, Ratio, Sha256Hex, Timestamp } from "../fields.ts";
import { MINIMUMS } from "../limits.ts";

/** Labels of the tiers. */
export const TIER_WORDS: Readonly<Record<CoverageTier, string>> = {
  none: "nothing recent",
  seed: "just started",
  building: "growing",
  dense: "well covered",
};

/** A tier with its place among all tiers: `growing (3 of 4)`. */
export function tierWords(tier: CoverageTier): string {
  const tiers = CoverageTier.options;
  return `${TIER_WORDS[tier]} (${tiers.indexOf(tier) + 1} of ${tiers.length})`;
}

export const CityRef = z
  .looseObject({ slug: z.string(), name: z.string() })
  .meta({ id: "CityRef", description: "A city's slug and name." });
export type CityRef = z.infer<typeof CityRef>;

export const CoverageMetrics = z
  .looseObject({
    physical_citations_180d: Count.describe("Physical citations in the last 180 days."),
    unique_entities_180d: Count.describe("Distinct records among these citations."),
    unique_assets_180d: Count.describe("Distinct assets among these citations."),
    observed_cells_90d: Count.describe(
      "Cells that somebody visited to look for fixed signs, or in which one was seen.",
    ),
    observed_eligible_cells_90d: Count.describe("Eligible cells among these."),
    eligible_coverage_cells: Count.describe("Cells in the city's manifest: the denominator."),
    cell_coverage_ratio_90d: Ratio.describe(
      "Share of the eligible cells that somebody visited in the last 90 days, by their weights.",
    ),
    repeated_eligible_cells_90d: Count.describe(
      "Eligible cells visited in two or more different weeks; absent in releases before `city-coverage-v4`.",
    ),
    repeated_cell_ratio_90d: Ratio.describe("Their share, by weight."),
    independent_scout_observers_180d: Count.describe(
      "Principals of the scouts whose observations count as independent evidence.",
    ),
    independent_scout_observations_180d: Count.describe(
      "Observations by scouts that count, at most one per principal, record and day.",
    ),
    independent_scout_days_180d: Count.describe("Days on which a scout made an observation that counts."),
    repeat_entity_rate_180d: Ratio.describe(
      "Share of `unique_entities_180d` that was seen on two days or more.",
    ),
    active_observation_days_30d: Count.describe("Days with a physical citation in the last 30 days."),
    fresh_cell_rate_45d: Ratio.describe(
      "Share of `observed_cells_90d` that was visited in the last 45 days.",
    ),
    source_family_count_180d: Count.describe("Source types with a physical citation."),
    largest_source_family_share_180d: Ratio.describe(
      "Share of the physical citations that the most frequent source type made.",
    ),
  })
  .meta({
    id: "CoverageMetrics",
    description: "Inputs of a city's coverage tier. Field names state the window in days.",
  });

const Measure = z.union([z.number(), z.string()]);

export const DenseGate = z
  .looseObject({
    eligible: z.boolean().describe("True when all requirements are met today."),
    available: z.boolean().describe("True when they have been met long enough for the tier `dense`."),
    pass_streak_days: Count,
    required_stability_days: Count,
    requirements: z.array(
      z.looseObject({ key: z.string(), met: z.boolean(), current: Measure, required: Measure }),
    ),
    missing_requirements: z.array(z.string()).describe("Keys of the unmet requirements."),
  })
  .meta({
    id: "DenseGate",
    description: "Requirements for the tier `dense`, and how far the city meets them.",
  });

export const CoveragePoint = z
  .looseObject({
    day: Day.describe("Sunday at the end of the ISO week, in the city's solar time."),
    observed_eligible_cells_90d: Count.describe("Eligible cells visited in the 90 days up to that Sunday."),
    cell_coverage_ratio_90d: Ratio.describe("Share of the currently eligible cells."),
    tier: CoverageTier.describe("Coverage at the end of that Sunday."),
  })
  .meta({
    id: "CoveragePoint",
    description:
      "A city's coverage at the end of one week, computed with today's reviews and eligible cells.",
  });
export type CoveragePoint = z.infer<typeof CoveragePoint>;

export const Coverage = z
  .looseObject({
    tier: CoverageTier,
    label: z.string(),
    freshness: Freshness,
    confidence: ConfidenceLevel,
    methodology_version: z.string(),
    tier_since: Day,
    calculated_at: Timestamp,
    snapshot_id: z.uuid(),
    coverage_basis: z.string().describe("`eligible_cell_ratio`."),
    eligible_cell_manifest_id: Sha256Hex.describe("SHA-256 of the sorted list of eligible cells."),
    denominator_status: DenominatorStatus,
    limitations: z.string(),
    metrics: CoverageMetrics,
    dense_gate: DenseGate,
    history: z
      .array(CoveragePoint)
      .describe("The last 26 finished weeks, oldest first; fewer for a newer city."),
  })
  .meta({ id: "Coverage", description: "A city's coverage and how it was computed." });
export type Coverage = z.infer<typeof Coverage>;

export const CoverageStatusResponse = z
  .looseObject({
    requested_city: z.string(),
    status: CoverageTier.describe("The tier of `coverage`."),
    data_available: z.boolean(),
    message: z.string(),
    city: CityRef,
    coverage: Coverage,
    demand: Demand,
    available_cities: z.array(CityRef),
    ...carriedFields,
  })
  .meta({ id: "CoverageStatusResponse", description: "The coverage of one city." });

export const SignShare = z
  .looseObject({
    value: Ratio.nullable().describe("`hits` divided by `signs`; null while not yet known."),
    hits: Count,
    signs: Count,
    confidence_interval: z
      .looseObject({ low: Ratio, high: Ratio, level: Ratio, method: z.string() })
      .nullable()
      .describe("Confidence interval of the value; null when the value is null."),
    not_yet_known: z
      .string()
      .nullable()
      .describe(
        `Why the value is missing, for example fewer than ${MINIMUMS.visitedSigns} signs. Null when there is a value.`,
      ),
  })
  .meta({ id: "SignShare", description: "A share of signs, with its interval." });
export type SignShare = z.infer<typeof SignShare>;

export const SharesByType = z
  .looseObject({
    total: SignShare,
    by_asset_type: z.looseObject({ storefront: SignShare, billboard: SignShare, site_sign: SignShare }),
  })
  .meta({ id: "SharesByType", description: "A share over all fixed assets, and by asset type." });
export type SharesByType = z.infer<typeof SharesByType>;

export const AccuracyMeasurement = z
  .looseObject({
    visited_from: Day.describe("Day of the first visit, in the city's solar time."),
    visited_until: Day.describe("Day of the last visit."),
    age_days: Count.describe("Days from the first visit to `data_as_of`."),
    supports_high: z
      .boolean()
      .describe("True when the detection rate and the age allow the coverage confidence `high`."),
    plan_row: z.int().positive().describe("Ledger row of the plan, written before the visits."),
    result_row: z.int().positive().describe("Ledger row of the result."),
    manifest_sha256: Sha256Hex.describe("Manifest of the seal that drew the assets and cells."),
    assets_drawn: Count.describe("Drawn assets, without those erased since."),
    assets_visited: Count,
    cells_drawn: Count,
    cells_visited: Count,
    precision: SharesByType.describe(
      "Of the listed active assets, the share that was found: `hits` found of `signs` visited.",
    ),
    detection_rate: SharesByType.describe(
      "Of the signs found in the drawn cells, the share that was listed: `hits` listed of `signs` found.",
    ),
  })
  .meta({
    id: "AccuracyMeasurement",
    description: "One measurement of the accuracy of a city's listed assets, by visits.",
  });
export type AccuracyMeasurement = z.infer<typeof AccuracyMeasurement>;

export const CityAccuracyResponse = z
  .looseObject({
    city: CityRef,
    methodology_version: z.string(),
    plans: Count.describe("Measurements that were planned and drawn in this city."),
    plans_without_result: Count.describe("Of these, those without a published result."),
    measurement: AccuracyMeasurement.nullable().describe("The newest measurement; null when there is none."),
    note: z.string(),
    ...envelopeFields,
  })
  .meta({ id: "CityAccuracyResponse", description: "Measured accuracy of a city's listed assets." });
export type CityAccuracyResponse = z.infer<typeof CityAccuracyResponse>;
