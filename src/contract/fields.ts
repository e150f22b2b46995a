import { z } from "zod";
import { jsonSchemas } from "./json-schema.ts";
import { DEMAND } from "./limits.ts";

/** Field types that many public objects share. They carry no id, so that each use can bear its own description. */

/** ISO 8601 in UTC, as `isoTime` of the kernel writes it. */
export const Timestamp = z.iso.datetime();
export const Day = z.iso.date();
/** The members of whatever was observed; rejected observations have no part in them. */
export const observedSpanFields = {
  first_observed: Timestamp.nullable().describe(
    "Of the accepted observations, as exact as their `observed_at`; null when there is none.",
  ),
  first_observed_on: Day.nullable().describe("The day of `first_observed` in the city's solar time."),
  last_observed: Timestamp.nullable().describe(
    "Of the accepted observations, as exact as their `observed_at`; null when there is none.",
  ),
  last_observed_on: Day.nullable().describe("The day of `last_observed` in the city's solar time."),
};
export const Uri = z.url();
export const Count = z.int().nonnegative();
export const Ratio = z.number().min(0).max(1);
/** A score or a percentile. */
export const Percent = z.number().min(0).max(100);
export const Sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);
/** ISO 3166-1 alpha-2. */
export const CountryCode = z.string().regex(/^[A-Z]{2}$/);

const demandFields = {
  window_days: Count.describe(
    `Whole UTC days that the counts cover, up to the day of the release: ${DEMAND.windowDays}, or fewer when counting began later.`,
  ),
  window_end: Timestamp.describe("The end of the window, exclusive."),
  searches: Count.describe(
    "Searches that name the city, over REST, on the search page, and calls of MCP tools that look up a business name in it. Declared crawlers count in MCP only.",
  ),
  searches_without_result: Count.describe("Of these, the searches that found no record."),
  alert_subscriptions: Count.describe(
    "Subscriptions to alerts for the city that were confirmed in the window.",
  ),
  daily_clients: Count.describe(
    "Clients that searched in the city, told apart within a UTC day only, summed over the days: a client that returns on another day counts again.",
  ),
  note: z.string().describe("What demand does not prove."),
};

/**
 * What people and programs searched for in a city (interface 2.10). Version 1.0.0 published it as null or an object without declared members. Its
 * members are declared beside these alternatives, which stay as they were: another alternative could break a client that was made from the schema.
 */
export const Demand = z
  .looseObject(demandFields)
  .nullable()
  .meta({
    description: `Demand for the city in the last ${DEMAND.windowDays} whole UTC days. Null below ${DEMAND.minClients} clients counted by day, where nothing was counted, and where the answer is not about one city. Demand is not evidence of presence.`,
    anyOf: [{ type: "object", properties: {}, additionalProperties: true }, { type: "null" }],
    properties: jsonSchemas(demandFields).schemas,
  });
export type Demand = z.infer<typeof Demand>;
