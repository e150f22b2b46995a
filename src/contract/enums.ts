/** The enums of interface section 2. Where the interface names only some values, the list here is complete. */

import { z } from "zod";

export const EntityStatus = z.enum(["unclaimed", "claimed", "verified", "dissolved"]);
export const RecordStatus = z.enum(["active", "merged", "dissolved"]);
export const IdentityStatus = z.enum(["unclaimed", "claimed", "verified"]);
export const ScoreState = z.enum(["ranked", "provisional"]);
export const RankingState = z.enum([
  "ranked",
  "awaiting_cohort",
  "insufficient_evidence",
  "integrity_review",
  "outside_ranking",
]);
export const GateStatus = z.enum(["eligible", "evidence_building", "integrity_review", "outside_ranking"]);
export const MissingRequirement = z.enum([
  "independent_observers",
  "independent_observations",
  "observation_days",
  "industry_classification_review",
  "integrity_review",
  "active_record",
]);
export const IndustryState = z.enum(["reviewed", "declared", "review", "unclassified"]);
export const IndustryMethod = z.enum(["declared", "reviewed", "name_rule", "unclassified"]);
export const NameMatch = z.enum(["contains", "same"]);
export const OnlinePresence = z.enum(["detected", "none", "unknown"]);
export const SignalType = z.enum(["website", "maps_listing", "social_profile", "directory_listing", "other"]);
export const AssetType = z.enum(["vehicle_wrap", "storefront", "billboard", "site_sign", "temp_sign"]);
export const AssetStatus = z.enum(["active", "stale", "retired"]);
/** What retired an asset: a reviewer, or that it went unseen for long. */
export const RetiredBy = z.enum(["review", "age"]);
export const SourceType = z.enum(["fleet_cam", "scout", "telematics_api", "seed_survey"]);
export const VerificationState = z.enum(["provisional", "corroborated", "verified", "rejected"]);
/** How the observers of a source are vetted: each by itself, or all as one principal. */
export const Vetting = z.enum(["individual", "collective"]);
export const SourceState = z.enum(["active", "suspended", "withdrawn"]);
/**
 * Why an observation does not count as independent evidence. `private_trace` stands for every reason that rests on private values,
 * so that none of them can be told from another.
 */
export const SetAsideReason = z.enum(["private_trace", "source_cannot_see"]);
/** Precision of a published time. */
export const TimePrecision = z.enum(["second", "hour", "day"]);
/** What the published places of a record tell: map cells, or only its city. */
export const PlacePrecision = z.enum(["cell", "city"]);
export const PresenceKind = z.enum(["location_presence", "mobile_presence", "brand_mention"]);
/** The two scales of a city: what a miss means in it, and how widely it is observed. */
export const ConfidenceLevel = z
  .enum(["none", "low", "medium", "high"])
  .describe(
    "Coverage confidence: what a missing observation means; some evidence of absence only at `high`.",
  );
export const CoverageTier = z
  .enum(["none", "seed", "building", "dense"])
  .describe("Coverage: how widely the city is observed.");
/** What a row of looks covers: a solar day of the city, an ISO week or a month of them. */
export const LookSpan = z.enum(["day", "week", "month"]);
export const Freshness = z.enum(["current", "aging", "stale"]);
export const EventType = z.enum([
  "new_public_record",
  "new_observed_asset",
  "new_wrapped_fleet_asset",
  "stale_asset",
  "digital_gap_detected",
]);
export const ConfidenceLabel = z.enum(["derived", "ledger", "review_needed"]);
export const PublicationStatus = z.enum(["published", "unpublished"]);
export const CollectionStatus = z.enum(["active", "paused"]);
export const LaunchStatus = z.enum(["launched", "preview"]);
export const DenominatorStatus = z.enum(["reviewed", "unreviewed"]);
export const CurrentStatus = z.enum(["operational", "degraded", "stale"]);
export const MetricsStatus = z.enum(["computed_from_release", "no_published_records"]);
export const ClaimState = z.enum(["claimed", "unclaimed"]);
/** Sort orders of a city's index. Public ids break ties. */
export const CitySort = z.enum(["rank", "name", "observations", "last_observed"]);
export const FirstObservedWindow = z.enum(["30d", "90d", "180d", "365d"]);
export const IndustryLevel = z.enum(["section", "division", "group", "class"]);
export const CheckpointType = z.enum(["daily", "on_demand"]);
export const ExternalProofStatus = z.enum(["none", "pending", "verified", "failed"]);
export const Environment = z.enum(["production", "demo"]);
export const AlertChannel = z.enum(["email", "dashboard", "webhook"]);
export const SubscriptionStatus = z.enum(["pending", "active", "paused", "unsubscribed"]);
export const WebhookStatus = z.enum(["pending", "active", "disabled"]);
/** Kind of reported problem; `REPORT_KIND_WORDS` has the labels. */
export const ReportKind = z.enum([
  "wrong_name",
  "wrong_place",
  "wrong_industry",
  "wrong_match",
  "not_there",
  "not_genuine",
  "online_presence",
  "privacy",
  "other",
]);
export const ReportStatus = z.enum(["open", "resolved"]);
export const ReportOutcome = z.enum(["upheld", "not_upheld", "duplicate", "withdrawn", "out_of_scope"]);
/** Transport of a machine request (interface 2.14). */
export const Transport = z.enum(["rest", "mcp", "other"]);
/** Client class of a request (interface 2.14). */
export const ClientClass = z.enum([
  "search_crawler",
  "ai_crawler",
  "authenticated_partner",
  "anonymous_or_unattributed",
  "other_client",
]);
export const RedactionReason = z.enum([
  "privacy_request",
  "owner_request",
  "legal_order",
  "safety",
  "data_error",
  "wrong_record",
]);

/** Why somebody asks for a removal; that a record is wrong as a whole is for the operator to say. */
export const RemovalReasonCode = RedactionReason.exclude(["wrong_record"]);

export type EntityStatus = z.infer<typeof EntityStatus>;
export type RecordStatus = z.infer<typeof RecordStatus>;
export type IdentityStatus = z.infer<typeof IdentityStatus>;
export type ScoreState = z.infer<typeof ScoreState>;
export type RankingState = z.infer<typeof RankingState>;
export type GateStatus = z.infer<typeof GateStatus>;
export type MissingRequirement = z.infer<typeof MissingRequirement>;
export type IndustryState = z.infer<typeof IndustryState>;
export type IndustryMethod = z.infer<typeof IndustryMethod>;
export type NameMatch = z.infer<typeof NameMatch>;
export type OnlinePresence = z.infer<typeof OnlinePresence>;
export type SignalType = z.infer<typeof SignalType>;
export type AssetType = z.infer<typeof AssetType>;
export type AssetStatus = z.infer<typeof AssetStatus>;
export type RetiredBy = z.infer<typeof RetiredBy>;
export type SourceType = z.infer<typeof SourceType>;
export type VerificationState = z.infer<typeof VerificationState>;
export type Vetting = z.infer<typeof Vetting>;
export type SourceState = z.infer<typeof SourceState>;
export type SetAsideReason = z.infer<typeof SetAsideReason>;
export type PlacePrecision = z.infer<typeof PlacePrecision>;
export type PresenceKind = z.infer<typeof PresenceKind>;
export type ConfidenceLevel = z.infer<typeof ConfidenceLevel>;
export type CoverageTier = z.infer<typeof CoverageTier>;
export type Freshness = z.infer<typeof Freshness>;
export type EventType = z.infer<typeof EventType>;
export type ConfidenceLabel = z.infer<typeof ConfidenceLabel>;
export type PublicationStatus = z.infer<typeof PublicationStatus>;
export type CollectionStatus = z.infer<typeof CollectionStatus>;
export type CurrentStatus = z.infer<typeof CurrentStatus>;
export type ClaimState = z.infer<typeof ClaimState>;
export type CitySort = z.infer<typeof CitySort>;
export type FirstObservedWindow = z.infer<typeof FirstObservedWindow>;
export type IndustryLevel = z.infer<typeof IndustryLevel>;
export type CheckpointType = z.infer<typeof CheckpointType>;
export type ExternalProofStatus = z.infer<typeof ExternalProofStatus>;
export type Environment = z.infer<typeof Environment>;
export type AlertChannel = z.infer<typeof AlertChannel>;
export type SubscriptionStatus = z.infer<typeof SubscriptionStatus>;
export type WebhookStatus = z.infer<typeof WebhookStatus>;
export type ReportKind = z.infer<typeof ReportKind>;
export type ReportOutcome = z.infer<typeof ReportOutcome>;
export type Transport = z.infer<typeof Transport>;
export type ClientClass = z.infer<typeof ClientClass>;
export type RedactionReason = z.infer<typeof RedactionReason>;
export type RemovalReasonCode = z.infer<typeof RemovalReasonCode>;
export type LookSpan = z.infer<typeof LookSpan>;
