import { z } from "zod";

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

/** What the interface names and leaves undefined; always null until the service measures demand. */
export const Demand = z
  .looseObject({})
  .nullable()
  .describe("Reserved. Null: the service does not publish demand figures.");
