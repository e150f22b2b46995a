import type {
  AssetType,
  ConfidenceLabel,
  EventType,
  OnlinePresence,
  VerificationState,
} from "../../contract/enums.ts";
import { evidenceStateWords, markedName } from "../../contract/records/observation.ts";
import { dayText, isoDate } from "../../kernel/time.ts";
import { isNewer } from "../citation.ts";
import { dateOfDay } from "../numbers.ts";
import type { Industry, JudgedSighting, Spell } from "../types.ts";

/** A public record with everything that can raise events. Times are ms since the epoch. */
export interface EventRecord {
  readonly id: number; // ledger row
  readonly publicId: string;
  readonly name: string;
  readonly isSynthetic: boolean;
  readonly industry: Industry;
  readonly matchUnderReview: boolean;
  readonly sightings: readonly JudgedSighting[]; // all that the record lists now
  readonly assets: readonly EventAsset[];
  readonly checks: readonly OnlineCheck[];
}

export interface EventAsset {
  readonly id: number; // ledger row
  readonly publicId: string;
  readonly assetType: AssetType;
  readonly retirements: readonly Retirement[];
}

/** A review that retired or reinstated an asset. */
export interface Retirement {
  readonly at: number; // publication time
  readonly retired: boolean;
}

export interface OnlineCheck {
  readonly checkedAt: number;
  readonly verdict: OnlinePresence;
}

/** A sighting in a time in which it counted for a record. */
export interface Seen extends Spell {
  readonly sighting: JudgedSighting;
  /** Whether it still does, for the same record and asset: else it is evidence of what was known then, and no longer. */
  readonly isStill: boolean;
}

/** A change event (interface 2.11) without its URLs. */
export interface ChangeEventFacts {
  readonly id: string;
  readonly type: EventType;
  readonly detectedAt: number;
  readonly record: number; // ledger row
  readonly recordPublicId: string;
  readonly recordName: string;
  readonly industry: string | null;
  readonly asset: number | null; // ledger row
  readonly assetPublicId: string | null;
  readonly assetType: AssetType | null;
  readonly confidence: number; // 0..1
  readonly label: ConfidenceLabel;
  readonly evidenceCount: number; // number of sightings behind it that still count
  readonly state: VerificationState | null; // of the newest of these; null without any
  readonly strongestState: VerificationState | null;
  readonly observerCount: number;
  readonly monthsLooked: number | null;
  readonly headline: string;
  readonly summary: string;
}

/** A raw event, before confidence and texts are added. */
export interface Occurrence {
  readonly type: EventType;
  readonly detectedAt: number;
  readonly asset: EventAsset | undefined; // the subject; undefined when it is the record
  /** What tells this occurrence from others of its type and subject; undefined where there is only one. */
  readonly since?: string | undefined;
  readonly evidence: readonly Seen[]; // by what was known when it was detected
  /** Of a fixed asset: months that began after it was last seen, in whose row its cell is, until it was seen again. */
  readonly lookedMonths?: number | undefined;
  /** Of a gap: later checks that found nothing either, until one found something. */
  readonly laterChecks?: number;
}

interface EventText {
  readonly headline: string;
  readonly summary: string;
}

type Evidence = readonly JudgedSighting[];

/**
 * Describes an event: what was seen and how certain it is. `evidence`: sightings that still count. Each sentence is
 * self-contained, because readers quote single sentences.
 */
export function eventText(
  record: Pick<EventRecord, "name" | "isSynthetic">,
  occurrence: Occurrence,
  evidence: Evidence,
): EventText {
  const name = markedName(record);
  const { headline, summary } = TEXTS[occurrence.type](name, occurrence, evidence);
  return { headline, summary: evidence.length === 0 ? `${summary} ${WITHDRAWN}` : summary };
}

const WITHDRAWN =
  "Every observation behind this event has since been rejected in review, set aside or moved to another record.";

const TEXTS: Record<
  Occurrence["type"],
  (name: string, occurrence: Occurrence, evidence: Evidence) => EventText
> = {
  new_public_record: (name, { detectedAt }, evidence) => ({
    headline: `Newly listed: ${name}`,
    summary: `The first evidence that counts for ${name} was published on ${utcDay(detectedAt)}: ${observations(evidence)}.`,
  }),
  new_observed_asset: (name, occurrence, evidence) => ({
    headline: `Newly listed: a ${assetName(occurrence)} of ${name}`,
    summary: `The first evidence that counts for a ${assetName(occurrence)} of ${name} was published on ${utcDay(occurrence.detectedAt)}: ${observations(evidence)}.`,
  }),
  new_wrapped_fleet_asset: (name, { detectedAt }, evidence) => ({
    headline: `Newly listed: a vehicle wrap of ${name}`,
    summary: `The first evidence that counts for a vehicle carrying the branding of ${name} was published on ${utcDay(detectedAt)}: ${observations(evidence)}. This does not show the owner or home base of the vehicle.`,
  }),
  stale_asset: (name, occurrence, evidence) => ({
    headline: `Evidence out of date: ${assetName(occurrence)} of ${name}`,
    summary: `The ${assetName(occurrence)} of ${name} ${lastSeen(evidence)}; ${unseenSince(occurrence)}.`,
  }),
  digital_gap_detected: (name, { detectedAt }, evidence) => ({
    headline: `Our web check found no website: ${name}`,
    summary: `Our web check of ${name} on ${utcDay(detectedAt)} found no website, which does not show that there is none: the check may have missed it. By then the record of ${name} had ${observations(evidence)}.`,
  }),
};

const ASSET_NAMES: Record<AssetType, string> = {
  vehicle_wrap: "vehicle wrap",
  storefront: "storefront",
  billboard: "billboard",
  site_sign: "site sign",
  temp_sign: "temporary sign",
};

function assetName({ asset }: Occurrence): string {
  return asset ? ASSET_NAMES[asset.assetType] : "asset";
}

/** Why it counts as stale, and what that does not mean: in the sentence that names the record, because sentences are quoted alone. */
function unseenSince({ lookedMonths: months }: Occurrence): string {
  return months === undefined
    ? "nobody has reported it for long, which does not mean that it is gone"
    : `its area was visited in ${months} later month${months === 1 ? "" : "s"} without a new observation that counts, which does not mean that it is gone`;
}

/** Describes the newest observation that counts with the city's day. */
function lastSeen(evidence: Evidence): string {
  const newest = newestOf(evidence);
  if (newest === undefined)
    return "has only observations that were since rejected in review, set aside or moved";
  return `has ${observations(evidence)}, the newest of ${dayText(dateOfDay(newest.day))}`;
}

/** Formats the day of an action of the service. */
function utcDay(ms: number): string {
  return `${dayText(isoDate(ms))} (UTC)`;
}

export function newestOf(evidence: Evidence): JudgedSighting | undefined {
  return evidence.reduce<JudgedSighting | undefined>(
    (newest, sighting) => (newest === undefined || isNewer(sighting, newest) ? sighting : newest),
    undefined,
  );
}

/**
 * `2 accepted observations (seen by 2 independent observers)`. Counts are as of the event and the state is today's,
 * so a single observer's sighting may have been corroborated later.
 */
function observations(evidence: Evidence): string {
  const newest = newestOf(evidence);
  if (newest === undefined) return "none of it still counts";
  const citations = evidence.length;
  const observers = new Set(evidence.map(({ observer }) => observer)).size;
  const certainty = evidenceStateWords({
    state: newest.state,
    observers,
    citations,
    isCorroboratedSince: true,
  });
  return `${citations} accepted observation${citations === 1 ? "" : "s"} (${certainty})`;
}
