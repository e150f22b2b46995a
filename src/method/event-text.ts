import type { AssetType } from "../contract/enums.ts";
import { isoDate } from "../kernel/time.ts";
import { dateOfDay } from "./as-of.ts";
import type { Occurrence } from "./event-types.ts";

interface EventText {
  readonly headline: string;
  readonly summary: string;
}

/** What people read about an event: what was seen, and never more than that. `evidence`: sightings not rejected. */
export function eventText(name: string, occurrence: Occurrence, evidence: number): EventText {
  const { headline, summary } = TEXTS[occurrence.type](name, occurrence, evidence);
  return { headline, summary: evidence === 0 ? `${summary} ${WITHDRAWN}` : summary };
}

const WITHDRAWN = "Every observation behind this event has since been rejected in review.";

const TEXTS: Record<
  Occurrence["type"],
  (name: string, occurrence: Occurrence, evidence: number) => EventText
> = {
  new_public_record: (name, { detectedAt }, evidence) => ({
    headline: `New presence record: ${name}`,
    summary: `${name} was published on ${utcDay(detectedAt)} with ${observations(evidence)}.`,
  }),
  new_observed_asset: (name, occurrence, evidence) => ({
    headline: `New ${assetName(occurrence)} observed: ${name}`,
    summary: `A ${assetName(occurrence)} of ${name} that was not listed before was published on ${utcDay(occurrence.detectedAt)} with ${observations(evidence)}.`,
  }),
  new_wrapped_fleet_asset: (name, { detectedAt }, evidence) => ({
    headline: `New wrapped vehicle observed: ${name}`,
    summary: `A vehicle carrying the branding of ${name} was published on ${utcDay(detectedAt)} with ${observations(evidence)}. Its owner and home base are not implied.`,
  }),
  stale_asset: (name, occurrence) => ({
    headline: `Not observed lately: ${assetName(occurrence)} of ${name}`,
    summary: `The ${assetName(occurrence)} of ${name} ${lastSeen(occurrence)}. Its area has been observed since without a new sighting of it, which does not show that it is gone.`,
  }),
  digital_gap_detected: (name, { detectedAt }) => ({
    headline: `No web presence found: ${name}`,
    summary: `${name} was physically observed, and as of ${utcDay(detectedAt)} an online check found no web presence. The check is a derived signal and may have missed one.`,
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

/** The day of an observation is its city's. */
function lastSeen({ lastDay }: Occurrence): string {
  if (lastDay === undefined) return "was not observed lately";
  return `was last observed on ${dateOfDay(lastDay)} (the city's solar day)`;
}

/** The day of something that the service did. */
function utcDay(ms: number): string {
  return `${isoDate(ms)} (UTC)`;
}

function observations(count: number): string {
  return count === 1 ? "1 accepted observation" : `${count} accepted observations`;
}
