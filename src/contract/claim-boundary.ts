import type { ConfidenceLevel, PresenceKind } from "./enums.ts";

/** What the service does and does not claim (interface section 1). Every surface takes its words from here. */

export const CLAIM_BOUNDARY_VERSION = "2026-11-20.v2";

export const PROVES: readonly string[] = [
  "Each accepted physical citation records that a brand or asset was observed at a documented time and place.",
  "Each observation is a row of an append-only ledger, and anyone can prove from public files that a signed checkpoint covers it.",
  "The counts of observers, observations and days follow from the listed observations by the published methodology.",
];

export const DOES_NOT_PROVE: readonly string[] = [
  "Ownership, control or tenancy of a place, a vehicle or a business.",
  "Licensing, legal status, legitimacy, quality, reputation or continued operation.",
  "Endorsement, affiliation or sentiment.",
  "Audience size, impressions, reach, conversions, sales, revenue or return on investment.",
  "A complete list of assets, or exhaustive coverage of a city.",
  "Absence, closure or inactivity of whatever was not observed.",
];

export const POSITIVE_RESULT =
  "An accepted physical citation records that a brand or asset was observed at a documented time and place. It states no more than that.";

export const PRESENCE_KIND_TEXT: Readonly<Record<PresenceKind, string>> = {
  location_presence:
    "A fixed-location asset was observed at that place. No ownership, tenancy, licensing or continued operation is implied.",
  mobile_presence:
    "A branded mobile asset was observed. No owner, home base, operating address or route is implied.",
  brand_mention: "Branding was visible. No ownership, operation, affiliation or endorsement is implied.",
};

export const NO_RESULT = {
  meaning: "No accepted citation matched the request.",
  limitation:
    "This never proves absence, closure or inactivity, or that a business is unreal, whatever the coverage of the city.",
} as const;

export const IDENTITY_NOTE =
  "Only reviewed relationships are published. An unreviewed value means that nothing has been published, not that no relationship exists.";

export const OBSERVATIONS_NOTE =
  "Latest published first. Rejected observations stay listed and count for nothing; redacted ones are left out.";

export const VERIFICATION_NOTE =
  "A proof shows that the row stands in the signed ledger as it is disclosed. It does not show that what the row says is true.";

/** What a missing observation means at each density (interface section 1). */
export const CONFIDENCE_NOTE: Readonly<Record<ConfidenceLevel, string>> = {
  none: "Nothing was observed in this city in the last 180 days, so nothing follows from a record that is not found.",
  low: "Few of this city's places were observed in the last 90 days. A record that is not found is no evidence of absence.",
  medium:
    "A part of this city's places was observed in the last 90 days. A record that is not found is no evidence of absence.",
  high: "Most of this city's places were observed in the last 90 days. A record that is not found is some evidence of absence, and never proof.",
};

export const CELL_BOUNDARY =
  "Counts of accepted observations in each cell. A cell without any says nothing about what is there: not being observed is no evidence of absence. Observations show no ownership and no continued operation.";

export const NAME_ONLY_NOTE =
  "This answer is by name only: addresses are never published and never answered for. It does not judge whether a business is legitimate.";

export const NO_CITY_NOTE =
  "The answer concerns no city that the service covers. Nothing follows from a record that is not found.";

/** Said where a search concerns no city of the service. */
export const NOT_COVERED_NOTE =
  "The service covers no city that the request asks for. Nothing follows from the empty answer.";

/** Licence of the aggregate figures that are marked open (interface 1). */
export const OPEN_LICENSE = {
  name: "CC-BY-4.0", // SPDX
  title: "Creative Commons Attribution 4.0 International",
  url: "https://creativecommons.org/licenses/by/4.0/",
} as const;

export const LICENSE =
  "Aggregate figures (counts, coverage, ranking summary): CC BY 4.0. Records and evidence: the terms of the service.";

export const CITATION_NOTE =
  "Accepted observations by what they show. Quote the suggested citation as it stands; it claims no more than was observed.";

export interface CitedRecord {
  readonly name: string;
  readonly city: string; // display name
  readonly isSynthetic: boolean;
  readonly citations: number;
  readonly firstDate: string | null; // dates as YYYY-MM-DD
  readonly lastDate: string | null;
  readonly asOfDate: string;
  readonly url: string;
}

export const SERVICE = "Physical Presence Evidence Service";
/** Nobody may quote an invented sighting as a real one. */
const SYNTHETIC = "Demonstration data, not a real observation: ";

/** One or two sentences that may be quoted as they stand. */
export function suggestedCitation(cited: CitedRecord): string {
  const { name, city, isSynthetic, citations, firstDate, lastDate, asOfDate, url } = cited;
  if (citations === 0 || firstDate === null || lastDate === null)
    return missingCitation(name, city, asOfDate, url);
  const when = firstDate === lastDate ? `on ${firstDate}` : `between ${firstDate} and ${lastDate}`;
  const times = citations === 1 ? "once" : `${citations} times`;
  return `${isSynthetic ? SYNTHETIC : ""}"${name}" was physically observed in ${city} ${times} ${when}. ${SERVICE}, data as of ${asOfDate}, ${url}`;
}

/** The same where nothing is to be cited; `url` is that of the record or the city. */
export function missingCitation(name: string, city: string, asOfDate: string, url: string): string {
  return `No accepted physical citation of "${name}" in ${city} is published, which proves nothing about it. ${SERVICE}, data as of ${asOfDate}, ${url}`;
}

export interface CitedObservation {
  readonly name: string;
  readonly city: string; // display name
  readonly isSynthetic: boolean;
  readonly kind: PresenceKind;
  readonly observedDate: string; // dates as YYYY-MM-DD, UTC
  readonly checkpointDate: string;
  readonly row: number; // of the ledger
  readonly recordUrl: string;
  readonly proofUrl: string;
}

/** The newest observation of a record, to be quoted as it stands, with what a reader needs to check it. */
export function observationCitation(cited: CitedObservation): string {
  const { name, city, isSynthetic, kind, observedDate, checkpointDate, row, recordUrl, proofUrl } = cited;
  const seen = `"${name}" was physically observed in ${city} on ${observedDate} (${kind.replace("_", " ")}).`;
  const sealed = `Ledger row ${row}, sealed in the signed checkpoint of ${checkpointDate}; proof: ${proofUrl}`;
  return `${isSynthetic ? SYNTHETIC : ""}${seen} ${SERVICE}, ${recordUrl} ${sealed}`;
}
