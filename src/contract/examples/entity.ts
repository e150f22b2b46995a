import { IDENTITY_NOTE } from "../claim-boundary.ts";
import type {
  Entity,
  EntityResponse,
  EntitySummary,
  IdentityHierarchy,
  OnlinePresenceDetail,
  PresenceScore,
  RankingGate,
} from "../entity.ts";
import { GATE_VERSION, SCOPE_VERSION } from "../versions.ts";
import { storefront, van } from "./asset.ts";
import { cityRef, envelope, exampleOnly, recordUrl } from "./base.ts";

const reviewedIdentity: IdentityHierarchy = {
  review_state: "reviewed",
  scope: { value: "local_independent", review_state: "reviewed", methodology_version: SCOPE_VERSION },
  brand: { public_id: "ex_brand", name: "Example Bakery", canonical_domain: "bakery.example" },
  organizations: [
    {
      relationship_type: "operating_organization",
      public_id: "ex_organization",
      name: "Example Bakery Company",
      organization_type: "company",
      canonical_domain: null,
    },
  ],
  note: IDENTITY_NOTE,
};

const gatePassed: RankingGate = {
  status: "eligible",
  methodology_version: GATE_VERSION,
  independent_observers: { current: 4, required: 3, met: true },
  countable_observations: { current: 9, required: 5, met: true },
  observation_days: { current: 6, required: 2, met: true },
  industry_classification: {
    industry: "1071",
    state: "declared",
    method: "declared",
    authoritative_for_ranking: true,
  },
  missing_requirements: [],
};

const ranked = {
  pps: 61.55,
  provisional_pps: 68.87,
  score_state: "ranked",
  ranking_state: "ranked",
  ranking_reason: "All requirements of the ranking gate are met.",
  independent_observer_count: gatePassed.independent_observers.current,
  independent_observation_count: gatePassed.countable_observations.current,
  observation_day_count: gatePassed.observation_days.current,
  ranking_gate: gatePassed,
} as const;

const onlinePresence: OnlinePresenceDetail = {
  verdict: "detected",
  checked_at: "2026-06-20T04:00:00Z",
  signal_types: ["website", "maps_listing"],
  match_count: 2,
};

/** A ranked record. */
export const bakery: EntitySummary = {
  public_id: "ex_record",
  name: "Example Bakery",
  city: cityRef.name,
  industry: gatePassed.industry_classification.industry,
  status: "unclaimed",
  record_status: "active",
  identity_status: "unclaimed",
  is_synthetic: true,
  ...ranked,
  first_observed: storefront.first_observed,
  last_observed: storefront.last_observed,
  online_presence: onlinePresence.verdict,
  online_presence_checked_at: onlinePresence.checked_at,
  record_url: recordUrl("ex_record"),
  record_type: "presence_record",
  identity_hierarchy: reviewedIdentity,
};

/** A record that still gathers evidence, and of whose identity nothing is reviewed. */
export const signmaker: EntitySummary = {
  ...bakery,
  public_id: "ex_signmaker",
  name: "Example Signmaker",
  industry: "1811",
  pps: null,
  provisional_pps: 41.2,
  score_state: "provisional",
  ranking_state: "insufficient_evidence",
  ranking_reason: "The ranking gate is not met yet.",
  independent_observer_count: 2,
  independent_observation_count: 3,
  observation_day_count: 2,
  ranking_gate: {
    ...gatePassed,
    status: "evidence_building",
    independent_observers: { current: 2, required: 3, met: false },
    countable_observations: { current: 3, required: 5, met: false },
    observation_days: { current: 2, required: 2, met: true },
    industry_classification: {
      industry: "1811",
      state: "review",
      method: "name_rule",
      authoritative_for_ranking: false,
    },
    missing_requirements: [
      "independent_observers",
      "independent_observations",
      "industry_classification_review",
    ],
  },
  first_observed: "2026-05-12T10:00:00Z",
  last_observed: "2026-06-02T14:00:00Z",
  online_presence: "none",
  online_presence_checked_at: "2026-06-21T04:00:00Z",
  record_url: recordUrl("ex_signmaker"),
  identity_hierarchy: {
    ...reviewedIdentity,
    review_state: "unreviewed",
    scope: { value: null, review_state: "unreviewed", methodology_version: SCOPE_VERSION },
    brand: null,
    organizations: [],
  },
};

export const presenceScore: PresenceScore = {
  ...ranked,
  cohort_percentile: 75,
  pbi_rank: 2,
  pbi_cohort_size: 6,
  pbi_cohort: cityRef.slug,
  rank_tie_policy: "dense_rank_on_full_precision_pps",
};

const entity: Entity = { ...bakery, website: "https://bakery.example/", same_as: [] };

export const entityExample: EntityResponse = {
  entity,
  online_presence: onlinePresence,
  presence_score: presenceScore,
  stats: { observation_count: 9, unique_assets: 2, unique_cells: 2 },
  assets: [storefront, van],
  ...envelope,
  ...exampleOnly,
};
