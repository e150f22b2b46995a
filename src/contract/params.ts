import { getResolution, isValidCell } from "h3-js";
import { z } from "zod";
import { readWebsite } from "../kernel/text/contacts.ts";
import { DAY_MS, isoDate, isoTime, monthOfDay, monthSpan } from "../kernel/time.ts";
import { citySlug } from "./cities/city.ts";
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
import { Day, Month } from "./fields.ts";
import { readWithdrawalCursor } from "./ledger/ledger.ts";
import { LIMITS, MAX_QUERY_TEXT, NEAR } from "./limits.ts";

/**
 * Path and query parameters of the reads, as the strings of a URL. Repeated parameters, blank values and unknown names are
 * errors. Clients see the JSON Schema of the output side.
 */

const MAX_CURSOR = 1024;
const MAX_TIME = 40;
const CLAIM_MEANING = "`claimed` includes verified records.";
const LAST_FOUR_DIGIT_YEAR_END = Date.UTC(10_000, 0) - 1;

const once = z.string({
  error: ({ input }) => (Array.isArray(input) ? "must be passed only once" : "must be a string"),
});

/** A path segment, compared as it is: a wrong one is an unknown id or city, hence a 404. */
const segment = (description: string) => once.min(1).max(MAX_QUERY_TEXT).describe(description);

const text = (description: string) =>
  once.trim().min(1, "must not be blank").max(MAX_QUERY_TEXT).optional().describe(description);

const oneOf = <Choice extends z.ZodType<string, string>>(choice: Choice, description: string) =>
  once.pipe(choice).optional().describe(description);

function limit(range: { readonly default: number; readonly max: number }) {
  const error = `must be a whole number between 1 and ${range.max}`;
  return once
    .regex(/^[1-9]\d{0,5}$/, error)
    .transform(Number)
    .pipe(z.int().min(1).max(range.max, error))
    .default(range.default)
    .describe("Maximum number of items to return.");
}

const industry = once
  .regex(/^([A-V]|\d{2,4})$/, "must be an ISIC Rev. 5 code: a section letter or 2 to 4 digits")
  .optional()
  .describe("ISIC Rev. 5 code. Matches everything below it, too.");

const since = (description: string) =>
  once
    .max(MAX_TIME)
    .pipe(z.union([z.iso.date(), z.iso.datetime({ offset: true })], "must be an ISO 8601 date or time"))
    .refine(inFourDigitYears, "must be between 1970 and 9999")
    .overwrite((value) => isoTime(Date.parse(value)))
    .optional()
    .describe(`${description} A date means 00:00 UTC on that day.`);

// An offset can push the first and last instants into years that need a sign in ISO 8601.
function inFourDigitYears(value: string): boolean {
  const ms = Date.parse(value);
  return ms >= 0 && ms <= LAST_FOUR_DIGIT_YEAR_END;
}

const DAY_OR_MONTH = "must be a day or a month, such as 2026-05-31 or 2026-05";

/** A day of observations; of a month the first or the last one. */
const observedDay = (end: "first" | "last", description: string) =>
  once
    .max(MAX_TIME)
    .pipe(z.union([Day, Month], DAY_OR_MONTH))
    .overwrite((value) => (value === monthOfDay(value) ? isoDate(monthSpan(value)[end] * DAY_MS) : value))
    .refine((day) => inFourDigitYears(day), "must be between 1970 and 9999")
    .optional()
    .describe(description);

const observedDays = {
  from: observedDay(
    "first",
    "Only rows observed on or after this day, in the city's solar time. A month means its first day.",
  ),
  to: observedDay("last", "Only rows observed up to this day. A month means its last day."),
};

const cursor = once
  .regex(/^[\w.~-]+$/, "must be the next_cursor of an earlier response")
  .max(MAX_CURSOR)
  .optional()
  .describe("`next_cursor` of the previous page. Opaque; pass the same filters.");

const cityFilter = once
  .trim()
  .min(1, "must not be blank")
  .max(MAX_QUERY_TEXT)
  .overwrite(citySlug)
  .optional()
  .describe("Slug of the city, in any case.");
const onlinePresence = oneOf(OnlinePresence, "Result of the last online check.");

const website = once
  .trim()
  .min(1, "must not be blank")
  .max(MAX_QUERY_TEXT)
  .refine(
    (address) => readWebsite(address) !== undefined,
    "must be a URL or a host name, such as example.org",
  )
  .overwrite((address) => readWebsite(address)?.lookUpKey ?? address)
  .optional()
  .describe(
    "Website published with the record: a host name or any URL on it. Case, scheme, a leading `www.` or `m.` and the path are ignored. On hosts that many businesses share, such as facebook.com, the path must match the record's.",
  );

const NEAR_ERROR = `must be an H3 cell at resolution ${NEAR.resolution}, such as 872b9bc04ffffff`;

const near = once
  .toLowerCase()
  .regex(/^[0-9a-f]{15}$/, NEAR_ERROR)
  .refine((cell) => isValidCell(cell) && getResolution(cell) === NEAR.resolution, NEAR_ERROR)
  .optional()
  .describe(
    `H3 cell at resolution ${NEAR.resolution} (about 5 km²). Finds records with a fixed asset, such as a storefront, observed in that cell or one of its six neighbors. Ignores rejected observations and mobile assets.`,
  );

export const RecordParams = z.strictObject({ public_id: segment("Identifier of the Presence Record.") });
export const CitationParams = z.strictObject({
  id: segment("Citation id: `citation_id` of an evidence packet, or the end of a citation URL."),
});
export const CityParams = z.strictObject({
  city: segment("Slug of the city, in any case.").overwrite(citySlug),
});
export const CityAreaParams = z.strictObject({
  ...CityParams.shape,
  area: segment("H3 cell at resolution 6 that has cells of the city."),
});

export const SearchParams = z.strictObject({
  name: text("Canonical name or a part of it (see `name_match`). Case and accents are ignored."),
  name_match: once
    .pipe(NameMatch)
    .default("contains")
    .describe(
      'How `name` is compared; ignored without `name`. `same` also ignores punctuation, store numbers, legal forms and a leading "the", and lists exact matches first.',
    ),
  city: cityFilter.describe(
    "City slug; case-insensitive. `coverage_status` marks cities that the service does not cover.",
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
  ...observedDays,
  cursor,
  limit: limit(LIMITS.observations),
});

export const ObservationTableParams = z.strictObject(observedDays);

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
      "Sort order. `rank`: ranked records first, those of one rank by `pps_without_any_one_observer`; then by provisional score. `name`: ignores case and accents. `observations`: most observations that count as independent evidence first. `last_observed`: most recent first. Public ids break ties.",
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
    .regex(/^\d{1,3}(\.\d{1,9})?$/, "must be a number between 0 and 100")
    .transform(Number)
    .pipe(z.number().min(0).max(100, "must be a number between 0 and 100"))
    .optional()
    .describe("Only ranked records at or above this cohort percentile."),
  limit: limit(LIMITS.explorer),
});

export const PulseParams = z.strictObject({
  ...CityParams.shape,
  since: since("Only events detected at or after this time. Default: the last 30 days."),
  cursor,
  limit: limit(LIMITS.pulse),
});

export const CityOptionsParams = z.strictObject({
  query: text("Start or part of a city name. Case and accents are ignored."),
  country: once
    .regex(/^[A-Z]{2}$/, "must be an ISO 3166 code of two capital letters, such as CA")
    .optional()
    .describe("ISO 3166-1 alpha-2 code."),
  limit: limit(LIMITS.gazetteer),
});

export const IndustryOptionsParams = z.strictObject({
  query: text("Part of a title or start of a code."),
  section: once
    .regex(/^[A-V]$/, "must be a section letter from A to V")
    .optional()
    .describe("Only industries of this ISIC section."),
  level: oneOf(IndustryLevel, "Only industries of this level."),
  limit: limit(LIMITS.taxonomy),
});

export const WithdrawalsParams = z.strictObject({
  cursor: once
    .refine(
      (text) => readWithdrawalCursor(text) !== undefined,
      "must be the next_cursor of an earlier response",
    )
    .optional()
    .describe("`next_cursor` of an earlier response, of this release or any before it."),
  limit: limit(LIMITS.withdrawals),
});

export type SearchParams = z.infer<typeof SearchParams>;
export type ExplorerParams = z.infer<typeof ExplorerParams>;

/** Limits of what a look may say, and how much of it is dropped before anything is kept. docs/methodology.md repeats them. */
export const LOOK_PARAMETERS = {
  cutMeters: 200, // both ends of a walk are dropped up to this distance from them,
  cutMinutes: 2, // and for this long
  gapMeters: 1_000, // between two points farther apart nothing is taken as looked at
  maxHours: 24, // of one look
  maxPoints: 5_000, // of a track or polyline
  maxCells: 2_000, // of one look
  maxKilometersAnHour: 150, // faster looks are refused
  dayPrincipals: 3, // that looked in a cell, so that the row of a day names it
  weekPrincipals: 1,
  monthPrincipals: 2,
  graceDays: 7, // from the end of a span to its row
} as const;
