import { z } from "zod";
import {
  EntityStatus,
  GateStatus,
  IdentityStatus,
  IndustryMethod,
  IndustryState,
  MissingRequirement,
  OnlinePresence,
  RankingState,
  RecordStatus,
  ScoreState,
  SignalType,
} from "../enums.ts";
import { envelopeFields } from "../envelope.ts";
import { Count, observedSpanFields, Percent, Timestamp, Uri } from "../fields.ts";
import { Asset } from "./asset.ts";

const Requirement = z.looseObject({ current: Count, required: Count, met: z.boolean() }).meta({
  id: "GateRequirement",
  description: "How far one requirement of the ranking gate is met.",
});

export const RankingGate = z
  .looseObject({
    status: GateStatus.describe("`eligible` exactly where `missing_requirements` is empty."),
    methodology_version: z.string(),
    independent_observers: Requirement,
    countable_observations: Requirement,
    observation_days: Requirement,
    industry_classification: z.looseObject({
      industry: z.string().nullable().describe("ISIC Rev. 5 code."),
      state: IndustryState,
      method: IndustryMethod,
      authoritative_for_ranking: z.boolean(),
    }),
    missing_requirements: z
      .array(MissingRequirement)
      .describe(
        "What keeps the record out of the cohort. `integrity_review`: a review of its observations has to end first. `active_record`: it is dissolved or merged.",
      ),
  })
  .meta({ id: "RankingGate", description: "What a record needs before it is ranked, and what it has." });
export type RankingGate = z.infer<typeof RankingGate>;

const ReviewState = z.enum(["reviewed", "unreviewed"]);
const CanonicalDomain = z.string().nullable();

export const IdentityHierarchy = z
  .looseObject({
    review_state: ReviewState,
    scope: z.looseObject({
      value: z.string().nullable().describe("For example `local_independent`; null until reviewed."),
      review_state: ReviewState,
      methodology_version: z.string(),
    }),
    brand: z
      .looseObject({ public_id: z.string(), name: z.string(), canonical_domain: CanonicalDomain })
      .nullable()
      .describe("Null until a reviewed brand is published, which does not mean there is none."),
    organizations: z.array(
      z.looseObject({
        relationship_type: z.string().describe("For example `operating_organization`."),
        public_id: z.string(),
        name: z.string(),
        organization_type: z.string().describe("For example `company`."),
        canonical_domain: CanonicalDomain,
      }),
    ),
    note: z.string(),
  })
  .meta({
    id: "IdentityHierarchy",
    description: "Reviewed identity relationships; suggestions are never shown.",
  });
export type IdentityHierarchy = z.infer<typeof IdentityHierarchy>;

/** Where a record stands: the same members in summaries and in scores (interface 2.2, 2.6). */
const standingFields = {
  pps: Percent.nullable().describe("Physical Presence Score, relative to the cohort; null while not ranked."),
  provisional_pps: Percent.describe("The raw score, before eligibility and apart from any cohort."),
  score_state: ScoreState,
  ranking_state: RankingState.describe(
    "Follows from the gate: `ranked`, or `awaiting_cohort` where the record is eligible and its city has too few such records; `insufficient_evidence` while evidence is building; `integrity_review`; `outside_ranking` for dissolved and merged records.",
  ),
  ranking_reason: z.string(),
  independent_observer_count: Count,
  independent_observation_count: Count,
  observation_day_count: Count,
  ranking_gate: RankingGate,
};

export const RankTiePolicy = z.literal("dense_rank_on_full_precision_pps");

export const EntitySummary = z
  .looseObject({
    public_id: z.string(),
    name: z.string(),
    city: z.string().nullable().describe("Display name of the city."),
    industry: z.string().nullable().describe("ISIC Rev. 5 code."),
    status: EntityStatus,
    record_status: RecordStatus,
    identity_status: IdentityStatus,
    is_synthetic: z.boolean().describe("True for demonstration data."),
    ...standingFields,
    ...observedSpanFields,
    online_presence: OnlinePresence.describe("Derived from public web search; never part of the score."),
    online_presence_checked_at: Timestamp.nullable(),
    record_url: Uri,
    record_type: z.literal("presence_record"),
    identity_hierarchy: IdentityHierarchy,
  })
  .meta({ id: "EntitySummary", description: "A city-specific Presence Record, in short." });
export type EntitySummary = z.infer<typeof EntitySummary>;

export const Entity = z
  .looseObject({
    ...EntitySummary.shape,
    website: z.string().nullable(),
    same_as: z.array(z.string()).describe("Reviewed links to the same business elsewhere."),
  })
  .meta({ id: "Entity", description: "A city-specific Presence Record." });
export type Entity = z.infer<typeof Entity>;

export const OnlinePresenceDetail = z
  .looseObject({
    verdict: OnlinePresence,
    checked_at: Timestamp.nullable(),
    signal_types: z.array(SignalType),
    match_count: Count,
  })
  .meta({ id: "OnlinePresenceDetail", description: "What the last online check found." });
export type OnlinePresenceDetail = z.infer<typeof OnlinePresenceDetail>;

export const PresenceScore = z
  .looseObject({
    ...standingFields,
    cohort_percentile: Percent.nullable(),
    pbi_rank: z.int().positive().nullable().describe("Dense rank within the cohort."),
    pbi_cohort_size: Count.nullable(),
    pbi_cohort: z.string().describe("The cohort: the slug of the city."),
    rank_tie_policy: RankTiePolicy,
  })
  .meta({
    id: "PresenceScore",
    description: "A record's Physical Presence Score and its place in the cohort.",
  });
export type PresenceScore = z.infer<typeof PresenceScore>;

export const Stats = z
  .looseObject({
    observation_count: Count.describe("Accepted observations; rejected rows do not count."),
    unique_assets: Count.describe("Assets with an accepted observation."),
    unique_cells: Count.describe("Map cells with an accepted observation."),
    row_count: Count.describe(
      "Listed rows, rejected ones included: as many as the list of observations has.",
    ),
  })
  .meta({ id: "EntityStats", description: "Lifetime counts of a record." });
export type Stats = z.infer<typeof Stats>;

export const EntityResponse = z
  .looseObject({
    entity: Entity,
    online_presence: OnlinePresenceDetail,
    presence_score: PresenceScore,
    stats: Stats,
    assets: z.array(Asset),
    ...envelopeFields,
  })
  .meta({ id: "EntityResponse", description: "A record with its score, assets and online presence." });
export type EntityResponse = z.infer<typeof EntityResponse>;
