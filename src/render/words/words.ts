import { micromark } from "micromark";
import { DEFAULT_MIN_CONFIDENCE } from "../../contract/accounts/alerts.ts";
import type { AccuracyMeasurement, SignShare } from "../../contract/cities/coverage.ts";
import type { ChangeEvent } from "../../contract/cities/pulse.ts";
import type {
  AlertChannel,
  AssetStatus,
  AssetType,
  CheckpointType,
  CitySort,
  ClaimState,
  ClientClass,
  ConfidenceLabel,
  CurrentStatus,
  EntityStatus,
  EventType,
  ExternalProofStatus,
  FirstObservedWindow,
  IndustryState,
  OnlinePresence,
  PresenceKind,
  RankingState,
  RedactionReason,
  RetiredBy,
  SetAsideReason,
  SourceState,
  SourceType,
  SubscriptionStatus,
  VerificationState,
  Vetting,
} from "../../contract/enums.ts";
import type { Demand } from "../../contract/fields.ts";
import type { ScorePart } from "../../contract/records/entity.ts";
import { count, percent, utcDate } from "./format.ts";

/**
 * Labels for codes of the contract. They claim only what was observed and repeat no thresholds of the methodology.
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
  stale: "not seen recently",
  retired: "retired",
};

export const RETIRED_BY_WORDS: Words<RetiredBy> = {
  review: "by a review",
  age: "not seen for long",
};

export const SOURCE_WORDS: Words<SourceType> = {
  fleet_cam: "fleet camera",
  scout: "scout",
  telematics_api: "telematics",
  seed_survey: "initial survey",
};

export const SOURCE_STATE_WORDS: Words<SourceState> = {
  active: "active",
  suspended: "suspended",
  withdrawn: "withdrawn; its rows are taken out",
};

export const VETTING_WORDS: Words<Vetting> = {
  individual: "vetted one by one",
  collective: "together one principal",
};

/** Why an observation does not count as independent evidence. */
export const SET_ASIDE_WORDS: Words<SetAsideReason> = {
  private_trace: "not counted: not established as independent, for a reason that is not published",
  source_cannot_see: "not counted: a source of this type cannot see such an asset",
};

export const STATE_MEANINGS: Words<VerificationState> = {
  provisional: "accepted; not yet corroborated or reviewed",
  corroborated: "another independent observer also saw it",
  verified: "a reviewer confirmed this observation",
  rejected: "a reviewer rejected it; it stays listed but is not counted",
};

export const KIND_WORDS: Words<PresenceKind> = {
  location_presence: "Location presence",
  mobile_presence: "Mobile presence",
  brand_mention: "Brand mention",
};

export const INDUSTRY_STATE_WORDS: Words<IndustryState> = {
  reviewed: "set by a review",
  declared: "stated by the source",
  review: "derived from the name, awaits review",
  unclassified: "awaits review",
};

export const CLAIM_WORDS: Words<EntityStatus> = {
  unclaimed: "This record is unclaimed.",
  claimed: "This record is claimed. A claim does not show ownership.",
  verified:
    "A reviewer confirmed who claimed this record. This says nothing about licenses, quality or operation.",
  dissolved: "A review marked this record as dissolved. Its observations stay listed.",
};

export const ONLINE_WORDS: Words<OnlinePresence> = {
  detected: "Our web check found it online",
  none: "Our web check found nothing online, which does not show that there is nothing",
  unknown: "Not yet known",
};

/** Short labels for selection lists. */
export const ONLINE_CHOICES: Words<OnlinePresence> = {
  detected: "found on the web",
  none: "not found on the web",
  unknown: "not yet known",
};

export const RANKING_CHOICES: Words<RankingState> = {
  ranked: "ranked",
  awaiting_cohort: "meets the requirements, but too few records of the city do",
  insufficient_evidence: "not enough evidence yet",
  integrity_review: "under review",
  outside_ranking: "outside the ranking: dissolved or merged",
};

export const SORT_CHOICES: Words<CitySort> = {
  rank: "by rank",
  name: "by name",
  observations: "most observations first",
  last_observed: "most recently seen first",
};

export const CLAIM_CHOICES: Words<ClaimState> = {
  claimed: "claimed",
  unclaimed: "unclaimed",
};

export const WINDOW_CHOICES: Words<FirstObservedWindow> = {
  "30d": "in the last 30 days",
  "90d": "in the last 90 days",
  "180d": "in the last 180 days",
  "365d": "in the last 365 days",
};

const EVENT_BASES: Words<ConfidenceLabel> = {
  ledger: "Recorded in the ledger",
  derived: "Derived from what is published",
  review_needed: "A review is open",
};

/** What a change rests on: `Recorded in the ledger; seen by 2 independent observers`. */
export function eventBasis({
  confidence_label,
  independent_observer_count: observers,
}: Pick<ChangeEvent, "confidence_label" | "independent_observer_count">): string {
  const basis = EVENT_BASES[confidence_label];
  return observers === 0
    ? basis
    : `${basis}; seen by ${count(observers, "independent observer", "independent observers")}`;
}

/** What subscribers can be told of, after “Notify me when”. */
export const EVENT_CHOICES: Words<EventType> = {
  new_public_record: "a new record is published",
  new_observed_asset: "a new sign or vehicle of a known record is seen",
  new_wrapped_fleet_asset: "a new lettered vehicle is seen",
  stale_asset: "a sign was not seen again on later visits, or a vehicle not for a long time",
  digital_gap_detected: "our web check of a record found nothing online",
};

/** How certain a change must be before it is sent. The API takes any number from 0 to 1. */
export const THRESHOLDS: readonly { readonly value: number; readonly words: string }[] = [
  { value: DEFAULT_MIN_CONFIDENCE, words: "everything that has evidence" },
  { value: 0.75, words: "only what is corroborated" },
  { value: 0.85, words: "only what is well corroborated" },
];

/** Labels that the script of the pages behind emailed links shows. */
export const SUBSCRIPTION_WORDS: {
  readonly status: Words<SubscriptionStatus>;
  readonly channel: Words<AlertChannel>;
  readonly events: Words<EventType>;
  readonly thresholds: Readonly<Record<string, string>>; // by value
} = {
  status: {
    pending: "not confirmed yet",
    active: "active",
    paused: "paused: nothing is sent",
    unsubscribed: "ended",
  },
  channel: { email: "by email", webhook: "to a webhook", dashboard: "in the partner portal" },
  events: EVENT_CHOICES,
  thresholds: Object.fromEntries(THRESHOLDS.map((each) => [each.value, thresholdText(each)])),
};

export function thresholdText({ value, words }: (typeof THRESHOLDS)[number]): string {
  return `${words} (confidence ${value} or more)`;
}

export const STATUS_MEANINGS: Words<CurrentStatus> = {
  operational: "seals and releases are on schedule",
  degraded: "a seal or a release is late",
  stale: "no seal or release for days, so the published data is old",
};

export const PROOF_WORDS: Words<ExternalProofStatus> = {
  none: "not requested",
  pending: "requested, no response yet",
  verified: "verified",
  failed: "the response did not verify",
};

export const CHECKPOINT_WORDS: Words<CheckpointType> = {
  daily: "finished day",
  on_demand: "on demand",
};

export const CLIENT_WORDS: Words<ClientClass> = {
  search_crawler: "Search engines",
  ai_crawler: "AI services",
  authenticated_partner: "Partners with a key",
  anonymous_or_unattributed: "Browsers and unidentified clients",
  other_client: "Other programs",
};

export const REDACTION_WORDS: Words<RedactionReason> = {
  privacy_request: "privacy request",
  owner_request: "owner's request",
  legal_order: "legal order",
  safety: "safety",
  data_error: "data error",
  wrong_record: "wrong record",
};

export const SCORE_PART_WORDS: Words<ScorePart> = {
  recency: "Recency",
  volume: "Volume",
  breadth: "Breadth",
  assets: "Assets",
  independence: "Independence",
};

export const SCORE_PART_MEANINGS: Words<ScorePart> = {
  recency: "age of the last counted observation",
  volume: "number of observations, weighted by trust and age",
  breadth: "number of areas with an observation",
  assets: "number of observed assets",
  independence: "number of independent observers",
};

/** `84.7 % (72 of 85; 95 % interval 75.3 % to 91.6 %)`; without a value the counts and why there is none. */
export function signShareText({ value, hits, signs, confidence_interval, not_yet_known }: SignShare): string {
  const counts = `${hits} of ${signs}`;
  if (value === null || confidence_interval === null)
    return `${counts}. ${not_yet_known ?? "Not yet known."}`;
  const { low, high } = confidence_interval;
  return `${percent(value)} (${counts}; 95 % interval ${percent(low)} to ${percent(high)})`;
}

/** When it was measured, and how much of what was drawn was visited, in two sentences. */
export function measuredText(measurement: AccuracyMeasurement): string {
  const { visited_from, visited_until, age_days } = measurement;
  const days =
    visited_from === visited_until
      ? `on ${utcDate(visited_from)}`
      : `from ${utcDate(visited_from)} to ${utcDate(visited_until)}`;
  const visits = `${measurement.assets_visited} of ${count(measurement.assets_drawn, "drawn asset", "drawn assets")}`;
  const searched = `${measurement.cells_visited} of ${count(measurement.cells_drawn, "drawn area", "drawn areas")}`;
  return `Measured ${days}, ${count(age_days, "day", "days")} ago. Scouts visited ${visits} and searched ${searched}.`;
}

/** Describes the demand for a city in one paragraph. */
export function demandText(demand: Demand): string {
  if (demand === null) return "Too few searches to show, or none counted.";
  const { window_days, searches, searches_without_result, alert_subscriptions, daily_clients } = demand;
  const days = window_days === 1 ? "day" : `${window_days} days`;
  const clients = `${count(daily_clients, "daily client", "daily clients")}`;
  const subscriptions = count(alert_subscriptions, "new subscription", "new subscriptions");
  return `In the ${days} before this release: ${count(searches, "search", "searches")} by ${clients}, of which ${searches_without_result} found no record; ${subscriptions}.`;
}

// The pages forbid pictures from other sites, so pictures become links.
const NO_PICTURES = { disable: { null: ["labelStartImage"] } };
// Micromark omits URLs with a dangerous protocol.
const LINK_TO_NOTHING = /<a href=""(?: title="[^"]*")?>(.*?)<\/a>/gs;
const HEADING = /<h([1-6])>(.*?)<\/h\1>/gs;

/**
 * Renders the operator's Markdown (CommonMark) as HTML below a level-2 heading. Shows HTML as text, allows links with http,
 * https, mailto, irc, xmpp or no protocol, and skips no heading level.
 */
export function operatorHtml(markdown: string): string {
  const html = micromark(markdown, { extensions: [NO_PICTURES] });
  return belowLevelTwo(html.replace(LINK_TO_NOTHING, "$1").replaceAll(" />", ">"));
}

// Text that looks like a heading is already escaped, so every match is a real heading.
function belowLevelTwo(html: string): string {
  const open: number[] = []; // levels of the enclosing headings
  return html.replace(HEADING, (_, digit: string, text: string) => {
    const level = Number(digit);
    while ((open.at(-1) ?? 0) >= level) open.pop();
    open.push(level);
    const displayed = Math.min(6, 2 + open.length);
    return `<h${displayed}>${text}</h${displayed}>`;
  });
}
