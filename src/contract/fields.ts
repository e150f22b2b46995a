import { z } from "zod";
import { DEMAND } from "./limits.ts";

/** Names the built-in sources, which together are one principal, in place of a source and of an observer tag. */
export const BUILT_IN = "built-in";

export const MAX_SOURCE_ID = 60;

/** The id of a registered source: lower-case words with hyphens. */
export const SourceId = z
  .string()
  .max(MAX_SOURCE_ID)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "is not the id of a source");

/** Field types shared by many public objects. They have no id, so each use can have its own description. */

/** ISO 8601 time in UTC, as written by `isoTime`. */
export const Timestamp = z.iso.datetime();
export const Day = z.iso.date();
/** A calendar month, such as `2026-05`. */
export const Month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, "must be a month, such as 2026-05");
/** Days of the first and last observation that count as independent evidence; while none counts, of the accepted ones. */
export const observedSpanFields = {
  first_observed: Timestamp.nullable().describe(
    "First instant of `first_observed_on` in UTC; null without an accepted observation.",
  ),
  first_observed_on: Day.nullable().describe(
    "Day of the first observation that counts as independent evidence, in the city's solar time; while none counts, of the first accepted one.",
  ),
  last_observed: Timestamp.nullable().describe(
    "First instant of `last_observed_on` in UTC; null without an accepted observation.",
  ),
  last_observed_on: Day.nullable().describe(
    "Day of the last observation that counts as independent evidence, in the city's solar time; while none counts, of the last accepted one.",
  ),
};
/** The city of an object, where the interface does not fix the name `city` for a label. */
export const cityFields = {
  city: z.string().describe("City slug: `{city}` in addresses."),
  city_name: z.string().describe("City name."),
};
export const CityNameOrNull = z
  .string()
  .nullable()
  .describe("City name; null where `city` is null or no longer published.");
export const Uri = z.url();
export const Count = z.int().nonnegative();
export const MONTHS_LOOKED_SINCE =
  "Published months that began after the last observation of the asset and in which two or more principals visited its cell. 0: no visit is known. Null for vehicles, which no visit looks for.";
export const MonthsLookedSince = Count.nullable().describe(MONTHS_LOOKED_SINCE);
export const Ratio = z.number().min(0).max(1);
export const Percent = z.number().min(0).max(100);
export const Sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);
/** ISO 3166-1 alpha-2. */
export const CountryCode = z.string().regex(/^[A-Z]{2}$/);

const demandFields = {
  window_days: Count.describe(
    `Whole UTC days covered by the counts, up to the day of the release: ${DEMAND.windowDays}, or fewer when counting began later.`,
  ),
  window_end: Timestamp.describe("End of the window, exclusive."),
  searches: Count.describe(
    "Searches for the city over REST and on the search page, and MCP tool calls that look up a business name in it. Declared crawlers count only in MCP.",
  ),
  searches_without_result: Count.describe("Searches among these that found no record."),
  alert_subscriptions: Count.describe("Subscriptions for the city that were confirmed in the window."),
  daily_clients: Count.describe(
    "Clients that searched in the city, counted per UTC day and summed: a client that returns on another day counts again.",
  ),
  note: z.string().describe("Limits of demand as evidence."),
};

/** Searches by people and programs in a city (interface 2.10). */
export const Demand = z
  .looseObject(demandFields)
  .nullable()
  .describe(
    `Demand for the city in the last ${DEMAND.windowDays} whole UTC days. Null below ${DEMAND.minClients} daily clients, when nothing was counted, and when the response is not about a single city. Demand is not evidence of presence.`,
  );
export type Demand = z.infer<typeof Demand>;
