import type { PresenceScoreResponse } from "../presence-score.ts";
import { SCORE_VERSION } from "../versions.ts";
import { cityRef, envelope, exampleOnly } from "./base.ts";
import { bakery, presenceScore } from "./entity.ts";

export const presenceScoreExample: PresenceScoreResponse = {
  public_id: bakery.public_id,
  name: bakery.name,
  is_synthetic: bakery.is_synthetic,
  ...presenceScore,
  components: {
    methodology_version: SCORE_VERSION,
    raw_score: presenceScore.provisional_pps,
    parts: [
      { key: "recency", value: 0.8706, weight: 0.25, points: 21.77 },
      { key: "volume", value: 0.6321, weight: 0.3, points: 18.96 },
      { key: "breadth", value: 0.4866, weight: 0.1, points: 4.87 },
      { key: "assets", value: 0.4866, weight: 0.1, points: 4.87 },
      { key: "independence", value: 0.736, weight: 0.25, points: 18.4 },
    ],
  },
  cohort: {
    city: cityRef.slug,
    industry: null,
    size: 6,
    definition: "The eligible records of the city, all industries together.",
    methodology_version: SCORE_VERSION,
    median_raw: 64.87,
    spread: 8.5,
  },
  history: [
    { date: "2026-06-21", pps: 60.1, observation_count_30d: 4 },
    { date: "2026-06-28", pps: presenceScore.pps ?? 0, observation_count_30d: 3 },
  ],
  ...envelope,
  ...exampleOnly,
};
