import { z } from "zod";
import { isoTime } from "../kernel/time.ts";
import {
  AssetType,
  CitySort,
  ClaimState,
  FirstObservedWindow,
  IndustryLevel,
  NameMatch,
  OnlinePresence,
} from "./enums.ts";
import { LIMITS, MAX_QUERY_TEXT } from "./limits.ts";

/**
 * Parameters of the reads, path and query together, as the strings of a URL. A repeated parameter arrives as an array
 * and is refused; so are blank values and unknown names. The JSON Schema for clients is that of the output side.
 */

const MAX_CURSOR = 1024;
const MAX_TIME = 40;
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

const cityFilter = text("Slug of the city.");
const onlinePresence = oneOf(OnlinePresence, "Verdict of the last online check.");

export const NoParams = z.strictObject({});
export const RecordParams = z.strictObject({ public_id: segment("Identifier of the Presence Record.") });
export const CitationParams = z.strictObject({
  id: segment("Id of a citation, as its address ends: `citation_id` of an evidence packet."),
});
export const CityParams = z.strictObject({ city: segment("Slug of the city.") });

export const SearchParams = z.strictObject({
  name: text("Canonical name, or a part of it (see `name_match`); case and accents do not matter."),
  name_match: once
    .pipe(NameMatch)
    .default("contains")
    .describe(
      'How `name` is compared; without `name` it does not matter. `same`: also without punctuation, store numbers, legal forms and a leading "the"; records of exactly that name come first.',
    ),
  city: cityFilter,
  industry,
  online_presence: onlinePresence,
  limit: limit(LIMITS.search),
});

export const ObservationsParams = z.strictObject({
  ...RecordParams.shape,
  since: since("Only rows published at or after this time."),
  limit: limit(LIMITS.observations),
});

export const CityIndexParams = z.strictObject({
  ...CityParams.shape,
  industry,
  online_presence: onlinePresence,
  sort: once
    .pipe(CitySort)
    .default("rank")
    .describe(
      "Order of the records. `rank`: ranked first, then by provisional score. `name`: case and accents do not matter. `observations`: most first, rejected ones counted too. `last_observed`: latest first. Ties go by public id.",
    ),
  cursor: once
    .regex(/^[\w.~-]+$/, "must be a next_cursor of an earlier answer")
    .max(MAX_CURSOR)
    .optional()
    .describe("`next_cursor` of the page before; opaque."),
  limit: limit(LIMITS.cityIndex),
});

export const ExplorerParams = z.strictObject({
  city: cityFilter,
  industry,
  asset_type: oneOf(AssetType, "Only assets of this type."),
  online_presence: onlinePresence,
  claim_state: oneOf(ClaimState, "`claimed` includes verified records."),
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
