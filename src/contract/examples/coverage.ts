import { sha256Hex } from "../../kernel/hash.ts";
import { uuidFromText } from "../../kernel/ids.ts";
import type { Coverage, CoverageStatusResponse } from "../coverage.ts";
import { COVERAGE_VERSION } from "../versions.ts";
import { AS_OF, cityRef, coverageConfidence, exampleOnly } from "./base.ts";

export const COVERAGE_MESSAGE = "Coverage of Exampleville is building.";
export const CITY_SNAPSHOT_ID = uuidFromText("example city snapshot");

export const coverage: Coverage = {
  tier: "building",
  label: "Building",
  freshness: "current",
  confidence: coverageConfidence.level,
  methodology_version: COVERAGE_VERSION,
  tier_since: "2026-04-01",
  calculated_at: AS_OF,
  snapshot_id: CITY_SNAPSHOT_ID,
  coverage_basis: "eligible_cell_ratio",
  eligible_cell_manifest_id: sha256Hex("example cell manifest"),
  denominator_status: "reviewed",
  limitations: "Cells without a street that can be seen from are not told apart.",
  metrics: {
    physical_citations_180d: 120,
    unique_entities_180d: 16,
    unique_assets_180d: 22,
    observed_cells_90d: 14,
    observed_eligible_cells_90d: 12,
    eligible_coverage_cells: 40,
    cell_coverage_ratio_90d: 0.3,
    independent_scout_observers_180d: 3,
    independent_scout_observations_180d: 48,
    independent_scout_days_180d: 21,
    repeat_entity_rate_180d: 0.75,
    active_observation_days_30d: 9,
    fresh_cell_rate_45d: 0.5,
    source_family_count_180d: 3,
    largest_source_family_share_180d: 0.55,
  },
  dense_gate: {
    eligible: true,
    available: false,
    pass_streak_days: 3,
    required_stability_days: 7,
    requirements: [
      { key: "reviewed_denominator", met: true, current: "reviewed", required: "reviewed" },
      { key: "eligible_cell_coverage", met: true, current: 0.3, required: 0.3 },
      { key: "independent_scouts", met: true, current: 3, required: 3 },
    ],
    missing_requirements: [],
  },
};

export const coverageStatusExample: CoverageStatusResponse = {
  requested_city: cityRef.slug,
  status: coverage.tier,
  data_available: true,
  message: COVERAGE_MESSAGE,
  city: cityRef,
  coverage,
  demand: null,
  available_cities: [cityRef],
  ...exampleOnly,
};
