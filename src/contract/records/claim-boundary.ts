import type { ConfidenceLevel, PresenceKind } from "../enums.ts";

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

/** What an observation of each kind leaves open. */
export const PRESENCE_KIND_LIMIT: Readonly<Record<PresenceKind, string>> = {
  location_presence: "No ownership, tenancy, licensing or continued operation is implied.",
  mobile_presence: "No owner, home base, operating address or route is implied.",
  brand_mention: "No ownership, operation, affiliation or endorsement is implied.",
};

export const PRESENCE_KIND_TEXT: Readonly<Record<PresenceKind, string>> = {
  location_presence: `A fixed-location asset was observed at that place. ${PRESENCE_KIND_LIMIT.location_presence}`,
  mobile_presence: `A branded mobile asset was observed. ${PRESENCE_KIND_LIMIT.mobile_presence}`,
  brand_mention: `Branding was visible. ${PRESENCE_KIND_LIMIT.brand_mention}`,
};

export const NO_RESULT = {
  meaning: "No accepted citation matched the request, and nothing follows from that alone.",
  limitation:
    "A missing record or citation never proves absence, closure or inactivity, or that a business is unreal, whatever the coverage of the city.",
} as const;

/** What the surest accepted observation of a record makes of its evidence. */
export const EVIDENCE_STATE_TEXT = {
  verified: "At least one accepted observation is verified in review.",
  corroborated:
    "At least one accepted observation is corroborated: another observer saw the same asset within 30 days. None is verified in review.",
  provisional:
    "No accepted observation is corroborated yet: no second observer has seen the same asset within 30 days.",
  none: "No accepted observation is published, which proves nothing about the record.",
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
  low: "Accepted observations of the last 90 days cover few of this city's places. A record that is not found is no evidence of absence.",
  medium:
    "Accepted observations of the last 90 days cover a part of this city's places. A record that is not found is no evidence of absence.",
  high: "Accepted observations of the last 90 days cover most of this city's places. A record that is not found is some evidence of absence, and never proof.",
};

export const DEMAND_NOTE =
  "Counts of requests to this service. Demand is not evidence of presence: it shows that somebody asked, and says nothing about what is in the city, or about what the service observed there.";

export const CELL_BOUNDARY =
  "Counts of accepted observations in each cell. A cell without any says nothing about what is there: not being observed is no evidence of absence. Observations show no ownership and no continued operation.";

export const NAME_ONLY_NOTE =
  "The tool looks up names and public ids, because addresses are not published. It does not judge whether a business is legitimate.";

export const NO_CITY_NOTE =
  "The answer concerns no city that the service covers. Nothing follows from a record that is not found.";

/** Said where a search concerns no city of the service. */
export const NOT_COVERED_NOTE =
  "The service does not cover the city or place of this search. Nothing follows from the empty answer.";

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

export const SERVICE = "Physical Presence Evidence Service";

/** The answer to a name that leads to no record; what is said of a record is in `citation/`. `url` is that of the city. */
export function missingCitation(name: string, city: string, asOfDate: string, url: string): string {
  return `No accepted physical citation of "${name}" in ${city} is published, which proves nothing about it. ${SERVICE}, data as of ${asOfDate}, ${url}`;
}

export interface AmbiguousName {
  readonly name: string; // as asked
  readonly city: string; // display name
  readonly records: number;
  readonly isLowerBound: boolean; // more records than these may fit
  readonly isPart: boolean; // the name is a part of theirs
  readonly asOfDate: string; // YYYY-MM-DD
  readonly url: string; // of the city
}

/** The same for a name of several records: how many they are, and no quote of any. */
export function ambiguousCitation(ambiguous: AmbiguousName): string {
  const { name, city, records, isLowerBound, isPart, asOfDate, url } = ambiguous;
  const count = isLowerBound ? `At least ${records}` : `${records}`;
  const relation = isPart ? "have names that contain" : "bear the name";
  return `${count} Presence Records in ${city} ${relation} "${name}", and this sentence quotes none of them. ${SERVICE}, data as of ${asOfDate}, ${url}`;
}
