import { z } from "zod";
import {
  AssetStatus,
  AssetType,
  EntityStatus,
  GateStatus,
  IdentityStatus,
  IndustryMethod,
  IndustryState,
  MissingRequirement,
  OnlinePresence,
  PlacePrecision,
  RankingState,
  RecordStatus,
  RetiredBy,
  ScoreState,
  SignalType,
} from "../enums.ts";
import { envelopeFields } from "../envelope.ts";
import {
  Count,
  cityFields,
  Day,
  MonthsLookedSince,
  observedSpanFields,
  Percent,
  Ratio,
  Timestamp,
  Uri,
} from "../fields.ts";
import { RecordRows } from "../ledger/ledger.ts";

export const Asset = z
  .looseObject({
    id: z.int().describe("Number that `asset_id` of an observation refers to."),
    public_id: z.string().describe("Public id of the asset. It stays the same from release to release."),
    asset_type: AssetType.describe("Type of the asset. Only `vehicle_wrap` is mobile."),
    is_mobile: z.boolean().describe("True for vehicle wraps: they move and have no fixed place."),
    legibility_score: z
      .number()
      .nullable()
      .describe("Median over the accepted observations that have a value; null when none has."),
    ...observedSpanFields,
    status: AssetStatus.describe(
      "`stale`: not seen recently. `retired`: see `retired_by`. Neither means that the asset is gone.",
    ),
    retired_by: RetiredBy.nullable().describe(
      "Reason for retirement: a `review`, or `age`, which a new sighting undoes. Null unless it is retired.",
    ),
    months_looked_since: MonthsLookedSince,
    observation_count: Count.describe("Accepted observations only."),
    counting_observation_count: Count.describe(
      "Accepted observations that count as independent evidence. 0: nothing of the asset counts yet.",
    ),
  })
  .meta({ id: "Asset", description: "A physical object that carries a record's brand." });
export type Asset = z.infer<typeof Asset>;

const { status: assetStatus, last_observed_on, months_looked_since } = Asset.shape;

/** When a record was last seen, and whether somebody looked there since. */
export const LastSeen = z
  .looseObject({
    last_observed_on,
    asset_status: assetStatus,
    months_looked_since,
    note: z.string().describe("The same as a sentence to quote. Not seen does not mean gone."),
  })
  .meta({ id: "LastSeen", description: "The asset of a record that was observed last." });
export type LastSeen = z.infer<typeof LastSeen>;

const Requirement = z.looseObject({ current: Count, required: Count, met: z.boolean() }).meta({
  id: "GateRequirement",
  description: "Progress of one requirement of the ranking gate.",
});

export const RankingGate = z
  .looseObject({
    status: GateStatus.describe("`eligible` if and only if `missing_requirements` is empty."),
    methodology_version: z.string(),
    independence_version: z
      .string()
      .describe("Version of the rules for what counts as independent; see `/api/v1/independence`."),
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
        "Requirements that the record does not meet yet. `integrity_review`: its observations are under review. `active_record`: it is dissolved or merged.",
      ),
  })
  .meta({ id: "RankingGate", description: "Requirements for ranking, and how far the record meets them." });
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
      .describe("Null until a reviewed brand is published; null does not mean that no brand exists."),
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
    description: "Reviewed identity relationships. Suggestions are never published.",
  });
export type IdentityHierarchy = z.infer<typeof IdentityHierarchy>;

/** Standing of a record: fields shared by summaries and scores (interface 2.2, 2.6). */
const standingFields = {
  pps: Percent.nullable().describe(
    "Physical Presence Score, relative to the cohort; null while the record is not ranked.",
  ),
  pps_without_any_one_observer: Percent.nullable().describe(
    "Lowest `pps` that remains when any single observer (principal) is left out, with the cohort's median and spread as they are and the gate ignored. The corroboration of the other observations is judged again. Null while the record is not ranked.",
  ),
  gate_holds_without_any_one_observer: z
    .boolean()
    .describe(
      "Whether the record would still be eligible when any single observer is left out; false for a record that is not eligible.",
    ),
  provisional_pps: Percent.describe("Raw score, independent of eligibility and of the cohort."),
  score_state: ScoreState.describe("`ranked` when the record has a `pps`; otherwise `provisional`."),
  ranking_state: RankingState.describe(
    "Derived from the gate: `ranked`; `awaiting_cohort` when the record is eligible but its city has too few eligible records; `insufficient_evidence`; `integrity_review`; `outside_ranking` for dissolved and merged records.",
  ),
  ranking_reason: z.string().describe("Why the record has its `ranking_state`, in words."),
  independent_observer_count: Count.describe(
    "Independent observers (principals) of the countable observations.",
  ),
  independent_observation_count: Count.describe(
    "Countable observations: independent evidence within the counting window, at most one per principal and day.",
  ),
  observation_day_count: Count.describe("Days with a countable observation."),
  set_aside_count: Count.describe(
    "Accepted observations of all time that do not count as independent evidence; see `set_aside` of the observations.",
  ),
  counting_observation_count: Count.describe(
    "Accepted observations of all time that count as independent evidence. 0: nothing of the record counts yet.",
  ),
  ranking_gate: RankingGate,
};

export const RankTiePolicy = z
  .literal("dense_rank_on_full_precision_pps")
  .describe(
    "Records with the same `pps` before it is rounded share a rank, and the next rank follows without a gap.",
  );

export const EntitySummary = z
  .looseObject({
    public_id: z.string().describe("Public id of the record: `{public_id}` in addresses."),
    name: z
      .string()
      .describe(
        "Name as shown on the sign, chosen from what was read. It may differ from the registered name.",
      ),
    city: z.string().nullable().describe("Display name of the city."),
    city_slug: z.string().describe("Slug of the city: `{city}` in addresses."),
    industry: z.string().nullable().describe("ISIC Rev. 5 code."),
    status: EntityStatus.describe(
      "`dissolved` by a review; otherwise the state of the claim. None of them shows ownership or operation.",
    ),
    record_status: RecordStatus.describe("Whether the record is active. A review can mark it as dissolved."),
    identity_status: IdentityStatus.describe(
      "State of the claim on the record. `verified`: a reviewer confirmed who claimed it.",
    ),
    is_synthetic: z.boolean().describe("True for demonstration data."),
    ...standingFields,
    ...observedSpanFields,
    place_precision: PlacePrecision.describe(
      "`cell`: a fixed asset or brand mention was observed in a published map cell. `city`: no place within the city is published, as for a record whose every asset is mobile.",
    ),
    online_presence: OnlinePresence.describe("Derived from public web search. It never affects the score."),
    online_presence_checked_at: Timestamp.nullable().describe(
      "Time of the last check; null before the first.",
    ),
    record_url: Uri.describe("Page of the record."),
    entity_row: z
      .int()
      .positive()
      .describe("Ledger row of the record. When `/api/v1/withdrawals` lists it, delete this entry."),
    record_type: z.literal("presence_record").describe("Always `presence_record`."),
    identity_hierarchy: IdentityHierarchy,
  })
  .meta({ id: "EntitySummary", description: "Summary of a city-specific Presence Record." });
export type EntitySummary = z.infer<typeof EntitySummary>;

export const Entity = z
  .looseObject({
    ...EntitySummary.shape,
    website: z
      .string()
      .nullable()
      .describe("Website of the business, as sources submitted it or a reviewer set it; null without one."),
    same_as: z.array(z.string()).describe("Reviewed links to the same business on other sites."),
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
  .meta({ id: "OnlinePresenceDetail", description: "Result of the last online check." });

export const PresenceScore = z
  .looseObject({
    ...standingFields,
    cohort_percentile: Percent.nullable().describe(
      "Percent of the cohort with a lower `pps`; records with the same one count half. Null while the record is not ranked.",
    ),
    pbi_rank: z.int().positive().nullable().describe("Dense rank within the cohort."),
    pbi_cohort_size: Count.nullable().describe("Records in the cohort; null while the record is not ranked."),
    pbi_cohort: z.string().describe("The cohort, named by city slug."),
    rank_tie_policy: RankTiePolicy,
  })
  .meta({
    id: "PresenceScore",
    description: "A record's Physical Presence Score and its rank in the cohort.",
  });
export type PresenceScore = z.infer<typeof PresenceScore>;

/** Description of `unique_cells`. Cells of mobile assets say only the city. */
export const UNIQUE_CELLS =
  "Map cells with an accepted observation of a fixed asset or brand mention; 0 for a record whose every asset is mobile.";

export const Stats = z
  .looseObject({
    observation_count: Count.describe("Accepted observations only."),
    unique_assets: Count.describe("Assets with an accepted observation."),
    unique_cells: Count.describe(UNIQUE_CELLS),
    row_count: Count.describe("All rows in the list of observations, rejected ones included."),
  })
  .meta({ id: "EntityStats", description: "Lifetime counts of a record." });

export const EntityResponse = z
  .looseObject({
    entity: Entity,
    online_presence: OnlinePresenceDetail,
    presence_score: PresenceScore,
    stats: Stats,
    assets: z.array(Asset),
    rows: RecordRows,
    ...envelopeFields,
  })
  .meta({ id: "EntityResponse", description: "A record with its score, assets and online presence." });
export type EntityResponse = z.infer<typeof EntityResponse>;

export const ScorePart = z.enum(["recency", "volume", "breadth", "assets", "independence"]);
export type ScorePart = z.infer<typeof ScorePart>;

export const ScoreComponents = z
  .looseObject({
    methodology_version: z.string(),
    raw_score: Percent.describe("Sum of the components' points."),
    parts: z.array(
      z.looseObject({
        key: ScorePart,
        value: Ratio,
        weight: Ratio,
        points: Percent.describe("100 * weight * value."),
      }),
    ),
  })
  .meta({ id: "ScoreComponents", description: "Components of the raw score." });
export type ScoreComponents = z.infer<typeof ScoreComponents>;

export const Cohort = z
  .looseObject({
    ...cityFields,
    industry: z.string().nullable().describe("Always null: the cohort spans all industries of the city."),
    size: Count,
    definition: z.string(),
    methodology_version: z.string(),
    median_raw: z.number().nullable().describe("Median raw score; null while the cohort is too small."),
    spread: z
      .number()
      .nullable()
      .describe("Divisor of the logistic curve; null while the cohort is too small."),
  })
  .meta({ id: "Cohort", description: "The records that a score is relative to." });
export type Cohort = z.infer<typeof Cohort>;

export const PresenceScoreResponse = z
  .looseObject({
    public_id: z.string(),
    name: z.string(),
    ...cityFields,
    is_synthetic: z.boolean(),
    ...PresenceScore.shape,
    components: ScoreComponents.nullable(),
    cohort: Cohort,
    history: z
      .array(z.looseObject({ date: Day, pps: Percent, observation_count_30d: Count.nullable() }))
      .describe(
        "Scores at the end of the last 26 ISO weeks, oldest first. Weeks without a score are omitted.",
      ),
    ...envelopeFields,
  })
  .meta({
    id: "PresenceScoreResponse",
    description: "A record's score with components, cohort and history.",
  });
export type PresenceScoreResponse = z.infer<typeof PresenceScoreResponse>;
