import type { Coverage } from "../contract/coverage.ts";
import type {
  AssetStatus,
  AssetType,
  ConfidenceLabel,
  CoverageTier,
  EntityStatus,
  Freshness,
  GateStatus,
  IndustryState,
  OnlinePresence,
  PresenceKind,
  SourceType,
  VerificationState,
} from "../contract/enums.ts";
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

type Requirement = Coverage["dense_gate"]["requirements"][number];

/** What a city has and needs for the tier `dense`, as one phrase. */
export function denseRequirement({ key, current, required }: Requirement): string {
  if (key === "eligible_cell_coverage")
    return `share of eligible cells observed: ${percent(Number(current))} (${percent(Number(required))} needed)`;
  if (key === "reviewed_denominator") return `list of eligible cells: ${current} (${required} needed)`;
  return `${key.replaceAll("_", " ")}: ${current} (${required} needed)`;
}
