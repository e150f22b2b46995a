import type { Coverage } from "../../contract/cities/coverage.ts";
import type {
  AssetStatus,
  AssetType,
  CheckpointType,
  CitySort,
  ClaimState,
  ClientClass,
  ConfidenceLabel,
  CoverageTier,
  CurrentStatus,
  EntityStatus,
  ExternalProofStatus,
  FirstObservedWindow,
  Freshness,
  GateStatus,
  IndustryState,
  OnlinePresence,
  PresenceKind,
  RankingState,
  RedactionReason,
  SourceType,
  VerificationState,
} from "../../contract/enums.ts";
import type { ScorePart } from "../../contract/records/presence-score.ts";
import { percent } from "./format.ts";

/**
 * How codes of the contract are said to people. Careful words: nothing here claims more than was observed. Thresholds are
 * not repeated here; the methodology has them.
 */

type Words<Code extends string> = Readonly<Record<Code, string>>;

export const ASSET_TYPE_WORDS: Words<AssetType> = {
  vehicle_wrap: "vehicle wrap",
  storefront: "storefront",
  billboard: "billboard",
  site_sign: "site sign",
  temp_sign: "temporary sign",
};

export const ASSET_STATUS_WORDS: Words<AssetStatus> = {
  active: "active",
  stale: "not seen lately",
  retired: "retired by a review",
};

export const SOURCE_WORDS: Words<SourceType> = {
  fleet_cam: "fleet camera",
  scout: "scout",
  telematics_api: "telematics",
  seed_survey: "seed survey",
};

export const STATE_MEANINGS: Words<VerificationState> = {
  provisional: "accepted, and not yet backed by a second observer or a review",
  corroborated: "another observer saw the same asset within weeks",
  verified: "a reviewer confirmed this sighting",
  rejected: "a reviewer turned it down; it stays listed and counts for nothing",
};

export const KIND_WORDS: Words<PresenceKind> = {
  location_presence: "Location presence",
  mobile_presence: "Mobile presence",
  brand_mention: "Brand mention",
};

export const GATE_WORDS: Words<GateStatus> = {
  eligible: "eligible",
  evidence_building: "evidence building",
  integrity_review: "integrity review",
  outside_ranking: "outside the ranking",
};

export const GATE_MEANINGS: Words<GateStatus> = {
  eligible: "it meets all requirements of the ranking",
  evidence_building: "there is evidence, and not yet enough to rank it",
  integrity_review: "something about the observations awaits a review, so it is not ranked",
  outside_ranking: "the record is dissolved or merged into another, so no ranking has it",
};

export const INDUSTRY_STATE_WORDS: Words<IndustryState> = {
  reviewed: "set in review",
  declared: "declared with the data",
  review: "guessed from the name, awaits review",
  unclassified: "awaits review",
};

export const CLAIM_WORDS: Words<EntityStatus> = {
  unclaimed: "Nobody has claimed this record.",
  claimed: "Somebody has claimed this record, which shows no ownership.",
  verified:
    "A reviewer confirmed who claimed this record. This says nothing about licences, quality or operation.",
  dissolved: "A review marked this record as dissolved. What was observed stays on record.",
};

export const ONLINE_WORDS: Words<OnlinePresence> = {
  detected: "A web presence was found",
  none: "No web presence was found, which does not show that there is none",
  unknown: "Not known yet",
};

/** In a list to choose from, where there is no room for what it does not show. */
export const ONLINE_CHOICES: Words<OnlinePresence> = {
  detected: "found on the web",
  none: "not found on the web",
  unknown: "not known yet",
};

export const RANKING_CHOICES: Words<RankingState> = {
  ranked: "ranked",
  awaiting_cohort: "eligible, too few such records in the city",
  insufficient_evidence: "not enough evidence yet",
  integrity_review: "under integrity review",
  outside_ranking: "outside the ranking",
};

export const SORT_CHOICES: Words<CitySort> = {
  rank: "by rank",
  name: "by name",
  observations: "most observations of all time first",
  last_observed: "latest seen first",
};

export const CLAIM_CHOICES: Words<ClaimState> = {
  claimed: "claimed by somebody",
  unclaimed: "claimed by nobody",
};

export const WINDOW_CHOICES: Words<FirstObservedWindow> = {
  "30d": "in the last 30 days",
  "90d": "in the last 90 days",
  "180d": "in the last 180 days",
  "365d": "in the last 365 days",
};

export const CONFIDENCE_WORDS: Words<ConfidenceLabel> = {
  ledger: "from ledger rows",
  derived: "derived",
  review_needed: "a review is open",
};

export const TIER_MEANINGS: Words<CoverageTier> = {
  none: "nothing was observed lately",
  seed: "a first few observations; most of the city has not been looked at",
  building: "observed regularly, but not as widely as “dense” asks for",
  dense: "enough of a reviewed list of cells is observed, by enough scouts, and has been for days running",
};

export const FRESHNESS_MEANINGS: Words<Freshness> = {
  current: "the last citation is recent",
  aging: "the last citation is some weeks old",
  stale: "no citation for a long time, or none at all",
};

export const STATUS_MEANINGS: Words<CurrentStatus> = {
  operational: "seals and releases had come as they should",
  degraded: "a seal or a release was late",
  stale: "no seal or release had come for days, so what is published is old",
};

export const PROOF_WORDS: Words<ExternalProofStatus> = {
  none: "not asked for",
  pending: "asked for, no answer yet",
  verified: "verified",
  failed: "the answer did not verify",
};

export const CHECKPOINT_WORDS: Words<CheckpointType> = {
  daily: "finished day",
  on_demand: "on demand",
};

export const CLIENT_WORDS: Words<ClientClass> = {
  search_crawler: "Search engines",
  ai_crawler: "AI services",
  authenticated_partner: "Partners with a key",
  anonymous_or_unattributed: "Browsers, and whoever does not say",
  other_client: "Other programs",
};

export const REDACTION_WORDS: Words<RedactionReason> = {
  privacy_request: "privacy request",
  owner_request: "request of the owner",
  legal_order: "legal order",
  safety: "safety",
  data_error: "error in the data",
};

export const SCORE_PART_WORDS: Words<ScorePart> = {
  recency: "Recency",
  volume: "Volume",
  breadth: "Breadth",
  assets: "Assets",
  independence: "Independence",
};

export const SCORE_PART_MEANINGS: Words<ScorePart> = {
  recency: "how long ago the last observation that counts was made",
  volume: "how many observations there are, by their trust and their age",
  breadth: "in how many cells it was seen",
  assets: "how many of its assets were seen",
  independence: "how many observers saw it",
};

type Requirement = Coverage["dense_gate"]["requirements"][number];

/** What a city has and needs for the tier `dense`, as one phrase. */
export function denseRequirement({ key, current, required }: Requirement): string {
  if (key === "eligible_cell_coverage")
    return `share of eligible cells observed: ${percent(Number(current))} (${percent(Number(required))} needed)`;
  if (key === "reviewed_denominator") return `list of eligible cells: ${current} (${required} needed)`;
  return `${key.replaceAll("_", " ")}: ${current} (${required} needed)`;
}
