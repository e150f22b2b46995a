import { getResolution, isValidCell } from "h3-js";
import { z } from "zod";
import { readWebsite } from "../kernel/text/website.ts";
import { isoTime } from "../kernel/time.ts";
import { citySlug } from "./cities/city-slug.ts";
import {
  AssetType,
  CitySort,
  ClaimState,
  FirstObservedWindow,
  IndustryLevel,
  NameMatch,
  OnlinePresence,
  RankingState,
} from "./enums.ts";
import { LIMITS, MAX_QUERY_TEXT, NEAR } from "./limits.ts";

/**
 * Parameters of the reads, path and query together, as the strings of a URL. A repeated parameter arrives as an array
 * and is refused; so are blank values and unknown names. The JSON Schema for clients is that of the output side.
 */

const MAX_CURSOR = 1024;
const MAX_TIME = 40;
const CLAIM_MEANING = "`claimed` includes verified records.";
const LAST_FOUR_DIGIT_YEAR_END = Date.UTC(10_000, 0) - 1;

const once = z.string({
  error: ({ input }) => (Array.isArray(input) ? "must be given only once" : "must be a text"),
});

/** Path segments are compared, not cleaned: a wrong one is an unknown id or city, hence a 404. */
const segment = (description: string) => once.min(1).max(MAX_QUERY_TEXT).describe(description);

const text = (description: string) =>
  once.trim().min(1, "must not be blank").max(MAX_QUERY_TEXT).optional().describe(description);

const oneOf = <Choice extends z.ZodType<string, string>>(choice: Choice, description: string) =>
  once.pipe(choice).optional().describe(description);

function limit(range: { readonly default: number; readonly max: number }) {
  const error = `must be a whole number from 1 to ${range.max}`;
  return once
    .regex(/^[1-9]\d{0,5}$/, error)
    .transform(Number)
    .pipe(z.int().min(1).max(range.max, error))
    .default(range.default)
    .describe("Most items to return.");
}

const industry = once
  .regex(/^([A-V]|\d{2,4})$/, "must be an ISIC Rev. 5 code: a section letter or 2 to 4 digits")
  .optional()
  .describe("ISIC Rev. 5 code; everything below it matches too.");

const since = (description: string) =>
  once
    .max(MAX_TIME)
    .pipe(z.union([z.iso.date(), z.iso.datetime({ offset: true })], "must be an ISO 8601 date or time"))
    .refine(inFourDigitYears, "must be between 1970 and 9999")
    .overwrite((value) => isoTime(Date.parse(value)))
    .optional()
    .describe(`${description} A date means its start in UTC.`);

// An offset can push the first and last instants into years that ISO 8601 writes with a sign.
function inFourDigitYears(value: string): boolean {
  const ms = Date.parse(value);
  return ms >= 0 && ms <= LAST_FOUR_DIGIT_YEAR_END;
}

const cursor = once
  .regex(/^[\w.~-]+$/, "must be a next_cursor of an earlier answer")
  .max(MAX_CURSOR)
  .optional()
  .describe("`next_cursor` of the page before, with the same filters; opaque.");

const cityFilter = once
  .trim()
  .min(1, "must not be blank")
  .max(MAX_QUERY_TEXT)
  .overwrite(citySlug)
  .optional()
  .describe("Slug of the city, in any case.");
const onlinePresence = oneOf(OnlinePresence, "Verdict of the last online check.");

const website = once
  .trim()
  .min(1, "must not be blank")
  .max(MAX_QUERY_TEXT)
  .refine((address) => readWebsite(address) !== undefined, "must be a web address or a host: example.org")
  .overwrite((address) => readWebsite(address)?.lookUpKey ?? address)
  .optional()
  .describe(
    "Host of the website that the record publishes, or an address on it: case, scheme, a leading `www.` or `m.` and what follows the host do not matter. On a host that many businesses share, such as facebook.com, a path that is given must be the record's.",
  );

const NEAR_ERROR = `must be an H3 cell of resolution ${NEAR.resolution}, such as 872b9bc04ffffff`;

const near = once
  .toLowerCase()
  .regex(/^[0-9a-f]{15}$/, NEAR_ERROR)
  .refine((cell) => isValidCell(cell) && getResolution(cell) === NEAR.resolution, NEAR_ERROR)
  .optional()
  .describe(
    `H3 cell of resolution ${NEAR.resolution} (about 5 km²). Finds records of which a fixed asset, such as a storefront, was observed in that cell or one of the six around it. Rejected observations and mobile assets count for nothing.`,
  );

export const NoParams = z.strictObject({});
export const RecordParams = z.strictObject({ public_id: segment("Identifier of the Presence Record.") });
export const CitationParams = z.strictObject({
  id: segment("Id of a citation, as its address ends: `citation_id` of an evidence packet."),
});
export const CityParams = z.strictObject({
  city: segment("Slug of the city, in any case.").overwrite(citySlug),
});

export const SearchParams = z.strictObject({
  name: text("Canonical name, or a part of it (see `name_match`); case and accents do not matter."),
  name_match: once
    .pipe(NameMatch)
    .default("contains")
    .describe(
      'How `name` is compared; without `name` it does not matter. `same`: also without punctuation, store numbers, legal forms and a leading "the"; records of exactly that name come first.',
    ),
  city: cityFilter.describe(
    "Slug of the city, in any case. For one that the service does not cover see `coverage_status`.",
  ),
  industry,
  online_presence: onlinePresence,
  website,
  near,
  cursor,
  limit: limit(LIMITS.search),
});

export const ObservationsParams = z.strictObject({
  ...RecordParams.shape,
  since: since("Only rows published at or after this time."),
  cursor,
  limit: limit(LIMITS.observations),
});

export const CityIndexParams = z.strictObject({
  ...CityParams.shape,
  industry,
  online_presence: onlinePresence,
  ranking_state: oneOf(RankingState, "Only records in this ranking state."),
  claim_status: oneOf(ClaimState, CLAIM_MEANING),
  sort: once
    .pipe(CitySort)
    .default("rank")
    .describe(
      "Order of the records. `rank`: ranked first, then by provisional score. `name`: case and accents do not matter. `observations`: most accepted ones first. `last_observed`: latest first. Ties go by public id.",
    ),
  cursor,
  limit: limit(LIMITS.cityIndex),
});

export const ExplorerParams = z.strictObject({
  city: cityFilter,
  industry,
  asset_type: oneOf(AssetType, "Only assets of this type."),
  online_presence: onlinePresence,
  claim_state: oneOf(ClaimState, CLAIM_MEANING),
  first_observed: oneOf(FirstObservedWindow, "Only records first observed within this many days."),
  min_percentile: once
    .regex(/^\d{1,3}(\.\d{1,9})?$/, "must be a number from 0 to 100")
    .transform(Number)
    .pipe(z.number().min(0).max(100, "must be a number from 0 to 100"))
    .optional()
    .describe("Only ranked records at or above this cohort percentile."),
  limit: limit(LIMITS.explorer),
});

export const PulseParams = z.strictObject({
  ...CityParams.shape,
  since: since("Only events detected at or after this time; by default the last 30 days."),
  cursor,
  limit: limit(LIMITS.pulse),
});

export const CityOptionsParams = z.strictObject({
  query: text("Start or part of a city's name; case and accents do not matter."),
  country: once
    .regex(/^[A-Z]{2}$/, "must be an ISO 3166 code of two capital letters")
    .optional()
    .describe("ISO 3166-1 alpha-2 code."),
  limit: limit(LIMITS.gazetteer),
});

export const IndustryOptionsParams = z.strictObject({
  query: text("Part of a title, or the start of a code."),
  section: once
    .regex(/^[A-V]$/, "must be a section letter from A to V")
    .optional()
    .describe("Only industries of this ISIC section."),
  level: oneOf(IndustryLevel, "Only industries of this level."),
  limit: limit(LIMITS.taxonomy),
});

export type NoParams = z.infer<typeof NoParams>;
export type RecordParams = z.infer<typeof RecordParams>;
export type CityParams = z.infer<typeof CityParams>;
export type SearchParams = z.infer<typeof SearchParams>;
export type ObservationsParams = z.infer<typeof ObservationsParams>;
export type CityIndexParams = z.infer<typeof CityIndexParams>;
export type ExplorerParams = z.infer<typeof ExplorerParams>;
export type PulseParams = z.infer<typeof PulseParams>;
export type CityOptionsParams = z.infer<typeof CityOptionsParams>;
export type IndustryOptionsParams = z.infer<typeof IndustryOptionsParams>;
