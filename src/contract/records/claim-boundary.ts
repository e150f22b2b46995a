/** What the service does and does not claim (interface section 1). Every surface uses these sentences. */

import type { ConfidenceLevel, PresenceKind } from "../enums.ts";

export const CLAIM_BOUNDARY_VERSION = "2026-11-28.v4";

export const PROVES: readonly string[] = [
  "Each accepted sighting records that a brand or asset was observed at a documented time and place.",
  "Each observation is a row of an append-only ledger, and anyone can check in public files that it is there and unchanged.",
  "The counts of observers, observations and days follow from the listed observations by the published methodology. Observations that are set aside are listed and do not count.",
];

export const DOES_NOT_PROVE: readonly string[] = [
  "Ownership, control or tenancy of a place, a vehicle or a business.",
  "Licensing, legal status, legitimacy, quality, reputation or continued operation.",
  "Endorsement, affiliation or sentiment.",
  "Audience size, impressions, reach, conversions, sales, revenue or return on investment.",
  "That observers who count as independent never acted together: published checks look for it and cannot rule it out.",
  "A complete list of assets, or exhaustive coverage of a city.",
  "Absence, closure or inactivity of anything that was not observed.",
];

export const POSITIVE_RESULT =
  "An accepted sighting records that a brand or asset was observed at a documented time and place. It shows nothing more.";

/** What an observation of each kind does not imply. */
export const PRESENCE_KIND_LIMIT: Readonly<Record<PresenceKind, string>> = {
  location_presence:
    "This does not show who owns or rents it, whether it is licensed, or whether it is open.",
  mobile_presence: "This does not show its owner, home base, operating address or route.",
  brand_mention: "This does not show who owns or runs the place, or any affiliation or endorsement.",
};

export const PRESENCE_KIND_TEXT: Readonly<Record<PresenceKind, string>> = {
  location_presence: `A fixed-location asset was observed at that place. ${PRESENCE_KIND_LIMIT.location_presence}`,
  mobile_presence: `A branded mobile asset was observed. ${PRESENCE_KIND_LIMIT.mobile_presence}`,
  brand_mention: `Branding was visible. ${PRESENCE_KIND_LIMIT.brand_mention}`,
};

export const NO_RESULT = {
  meaning: "No accepted sighting matched the request, which on its own proves nothing.",
  limitation:
    "A missing record or sighting never proves absence, closure or inactivity, or that a business does not exist, whatever the coverage of the city.",
} as const;

/** Stands where nothing matched and `similar_names` lists others. */
export const SIMILAR_NAMES_NOTE =
  "`similar_names` lists similar recorded names; none of them is treated as the requested business.";

/** Evidence state of a record, by its best verified accepted observation. */
export const EVIDENCE_STATE_TEXT = {
  verified: "At least one accepted observation is verified in review.",
  corroborated:
    "At least one accepted observation is corroborated: another independent observer saw the same asset within 30 days. None is verified in review.",
  provisional:
    "No accepted observation is corroborated yet: no second independent observer has seen the same asset within 30 days.",
  none: "No accepted observation is published, which proves nothing about the record.",
} as const;

export const IDENTITY_NOTE =
  "Only reviewed relationships are published. Where a value is unreviewed, nobody has confirmed who runs this business yet.";

export const OBSERVATIONS_NOTE =
  "Newest publication first. Rejected observations stay listed but are not counted; those set aside are accepted but do not count as independent evidence; redacted ones are omitted.";

export const VERIFICATION_NOTE =
  "A proof shows that the signed ledger contains the row as disclosed. It does not show that the row's content is true.";

/** What a missing observation means at each coverage confidence (interface section 1). */
export const CONFIDENCE_NOTE: Readonly<Record<ConfidenceLevel, string>> = {
  none: "Nothing was observed in this city in the last 180 days, so a missing record proves nothing.",
  low: "Few areas of this city were checked in two or more weeks of the last 90 days, or the list of areas is unreviewed. A missing record is not evidence of absence.",
  medium:
    "Some areas of this city were checked in two or more weeks of the last 90 days. A missing record is not evidence of absence.",
  high: "Most areas of this city were checked in two or more weeks of the last 90 days. A missing record is some evidence of absence, but never proof.",
};

export const DEMAND_NOTE =
  "Counts of requests to this service. Demand shows that people asked; it is not evidence that anything is there.";

export const CELL_BOUNDARY =
  "Visits that looked for fixed signs, and accepted observations, by map cell. A visit can miss a sign, and a cell without visits says nothing: a lack of observations is not evidence of absence. Observations do not show who owns a business or whether it is open.";

export const NAME_ONLY_NOTE =
  "The tool looks up names and public ids, because addresses are not published. It does not judge whether a business is legitimate.";

export const NO_CITY_NOTE = "The service covers no city of this request, so a missing record proves nothing.";

/** Note for searches outside all covered cities. */
export const NOT_COVERED_NOTE =
  "The service does not cover the city or place of this search, so the empty answer proves nothing.";

/** Said once of a whole feed, file or folder of a demonstration. */
export const DEMONSTRATION_NOTE =
  "Demonstration: the names and observations are made up; only the cities are real.";

/** License of the aggregate figures that are marked open (interface 1). */
export const OPEN_LICENSE = {
  name: "CC-BY-4.0", // SPDX
  title: "Creative Commons Attribution 4.0 International",
  url: "https://creativecommons.org/licenses/by/4.0/",
} as const;

export const LICENSE =
  "Aggregate figures (counts, coverage, ranking summary): CC BY 4.0. Records and evidence: the terms of the service.";

export const CITATION_NOTE =
  "Accepted observations by presence kind. Quote the suggested citation verbatim; it claims only what was observed.";

/** The service's name where the operator gives it none (SITE_NAME). */
export const SERVICE = "Physical Presence Evidence Service";

/** The same where there is less room: titles, header, MCP. */
const SHORT_SERVICE = "Physical Presence Evidence";

/** What shows the service's name: null where the operator gave none. */
export interface SiteNamed {
  readonly siteName: string | null;
}

export function serviceName({ siteName }: SiteNamed): string {
  return siteName ?? SERVICE;
}

export function shortServiceName({ siteName }: SiteNamed): string {
  return siteName ?? SHORT_SERVICE;
}

interface MissingName {
  readonly name: string; // as requested
  readonly city: string; // display name
  readonly service: string; // its name
  readonly asOfDate: string; // YYYY-MM-DD
  readonly url: string; // the city's URL
}

/** Returns the citation for a name without a record; `citation/` has the wording for records. */
export function missingCitation(missing: MissingName): string {
  const { name, city, service, asOfDate, url } = missing;
  return `No accepted physical citation of "${name}" in ${city} is published, which proves nothing about it. ${service}, data as of ${asOfDate}, ${url}`;
}

export interface AmbiguousName extends MissingName {
  readonly records: number;
  readonly isLowerBound: boolean; // more records may match
  readonly isPart: boolean; // the records' names contain this one
}

/** Returns the citation for an ambiguous name: it counts the records and quotes none. */
export function ambiguousCitation(ambiguous: AmbiguousName): string {
  const { name, city, service, records, isLowerBound, isPart, asOfDate, url } = ambiguous;
  const count = isLowerBound ? `At least ${records}` : `${records}`;
  const relation = isPart ? "have names that contain" : "have the name";
  return `${count} Presence Records in ${city} ${relation} "${name}", and this sentence quotes none of them. ${service}, data as of ${asOfDate}, ${url}`;
}

/** Stands with every record of which nothing counts. Self-contained, because readers quote single sentences. */
export const NOTHING_COUNTS =
  "No observation of this record counts as independent evidence yet, which proves nothing about the business.";
