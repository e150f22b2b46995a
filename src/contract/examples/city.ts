import type { CityIndexResponse, CityList } from "../city.ts";
import { LICENSE } from "../claim-boundary.ts";
import { coverageConfidence, envelope, exampleOnly } from "./base.ts";
import { cityObject } from "./city-object.ts";
import { CITY_SNAPSHOT_ID, COVERAGE_MESSAGE, coverage } from "./coverage.ts";
import { bakery, presenceScore, signmaker } from "./entity.ts";

const { rank_tie_policy } = presenceScore;

export const cityIndexExample: CityIndexResponse = {
  city: cityObject,
  launch_status: "launched",
  coverage_status_deprecated: true,
  coverage_status: coverage.tier,
  coverage_message: COVERAGE_MESSAGE,
  demand: null,
  data_available: true,
  industry: null,
  ranking_state: null,
  claim_status: null,
  license: LICENSE,
  returned_count: 2,
  total_count: 16,
  count: 2,
  has_more: true,
  next_cursor: "ex_cursor",
  snapshot_id: CITY_SNAPSHOT_ID,
  ranking_summary: { eligible: 6, evidence_building: 9, integrity_review: 1 },
  rankings: [
    { ...bakery, rank: presenceScore.pbi_rank, rank_tie_policy },
    { ...signmaker, rank: null, rank_tie_policy },
  ],
  ...envelope,
  ...exampleOnly,
};

// A bare array, as the interface has it: there is no object to carry `example_only`.
export const cityListExample: CityList = [
  {
    id: 1,
    ...cityObject,
    data_available: true,
    coverage: {
      level: coverageConfidence.level,
      tier: coverage.tier,
      freshness: coverage.freshness,
      observed_cells: coverageConfidence.observed_cells,
      methodology_version: coverage.methodology_version,
      calculated_at: coverage.calculated_at,
      limitations: coverage.limitations,
      note: coverageConfidence.note,
    },
  },
];
