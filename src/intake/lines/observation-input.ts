import { z } from "zod";
import { AssetType, SourceType } from "../../contract/enums.ts";
import { SourceId } from "../../contract/fields.ts";
import { DAY_MS, HOUR_MS, solarOffsetHours } from "../../kernel/time.ts";
import { faultOf, LineFault } from "./fault.ts";

/** One observation as sources send it (design 6). Unknown members are ignored; null and blank optional members are absent. */
const text = (max: number) => z.string().max(max);
const optional = <T extends z.ZodType>(schema: T) => schema.nullish();

export const ObservationInput = z.object({
  source_type: SourceType,
  source_ref: text(200).min(1),
  observer: text(200).min(1),
  observed_at: text(40).min(1),
  lat: z.number().min(-90).max(90),
  lng: z.number().min(-180).max(180),
  name: z.string(),
  asset_type: AssetType,
  asset_ref: optional(text(200)),
  website: optional(text(500)),
  phone: optional(text(50)),
  industry: optional(text(10)),
  address: optional(text(500)),
  legibility: optional(z.number().min(0).max(1)),
  recognition_model_version: optional(
    text(100).regex(/^[\x20-\x7e]*$/, "has characters that are not printable ASCII"),
  ),
  media_sha256: optional(text(64).regex(/^[0-9a-fA-F]{64}$/, "is not 64 hexadecimal digits")),
  derived_from_archive: optional(z.boolean()),
  source: optional(SourceId),
  media_phash: optional(text(16).regex(/^[0-9a-fA-F]{16}$/, "is not 16 hexadecimal digits")),
});

export type ObservationInput = z.infer<typeof ObservationInput>;

export const OBSERVATION_FIELDS = ObservationInput.keyof().options;
export type ObservationField = (typeof OBSERVATION_FIELDS)[number];

/** What a cell of CSV holds for a field. */
export const FIELD_TYPES: ReadonlyMap<ObservationField, "text" | "number" | "boolean"> = new Map(
  OBSERVATION_FIELDS.map((field) => [
    field,
    takes(field, true) ? "boolean" : takes(field, 0) ? "number" : "text",
  ]),
);

export const REQUIRED_FIELDS: readonly ObservationField[] = OBSERVATION_FIELDS.filter(
  (field) => !takes(field, undefined),
);

function takes(field: ObservationField, value: unknown): boolean {
  return ObservationInput.shape[field].safeParse(value).success;
}

/** Checks shape, types and ranges of one line's value. Throws LineFault naming the field. Does not look at dates or places. */
export function parseObservation(value: unknown): ObservationInput {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new LineFault("not_an_object", null, "the line is JSON, but not an object");
  const parsed = ObservationInput.safeParse(value);
  if (!parsed.success) throw faultOf(parsed.error.issues[0]);
  const input = parsed.data;
  for (const field of OBSERVATION_FIELDS) {
    const member = input[field];
    if (typeof member === "string" && !member.isWellFormed())
      throw new LineFault("invalid_encoding", field, "has half of a surrogate pair");
  }
  if (input.lat === 0 && input.lng === 0)
    throw new LineFault(
      "zero_coordinates",
      "lat",
      "latitude and longitude are both 0: the position is missing",
    );
  return input;
}

const BARE_DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;
/** ISO 8601 with a time of day, and without its offset from UTC. */
export const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?$/;
const EARLIEST_MS = Date.UTC(1990, 0, 1);
const AHEAD_MS = 14 * HOUR_MS; // the farthest any local clock runs ahead of UTC

/** Whether `observed_at` gives no time of day. */
export function isBareDate(observedAt: string): boolean {
  return BARE_DATE.test(observedAt);
}

/**
 * The instant of `observed_at` in ms; a bare date is noon of that solar day at the longitude. Throws LineFault, for a date that has
 * begun nowhere on earth, too.
 */
export function observedInstant(observedAt: string, lng: number, now: number): number {
  const instant = isBareDate(observedAt)
    ? Date.parse(observedAt) + DAY_MS / 2 - solarOffsetHours(lng) * HOUR_MS
    : DATE_TIME.test(observedAt)
      ? Date.parse(observedAt)
      : Number.NaN;
  if (Number.isNaN(instant))
    throw new LineFault(
      "invalid_date",
      "observed_at",
      LOCAL_TIME.test(observedAt)
        ? "is a time without its offset from UTC"
        : "is not an ISO 8601 date, or date and time with its UTC offset",
    );
  if (!isCalendarDay(observedAt))
    throw new LineFault("invalid_date", "observed_at", "is no day of the calendar");
  if (instant < EARLIEST_MS) throw new LineFault("ancient_date", "observed_at", "is before 1990");
  if (isBareDate(observedAt) && Date.parse(observedAt) > now + AHEAD_MS)
    throw new LineFault("future_date", "observed_at", "is a date that has not begun anywhere on earth");
  if (!isBareDate(observedAt) && instant > now + AHEAD_MS)
    throw new LineFault("future_date", "observed_at", "is more than 14 hours in the future");
  return instant;
}

/** Date.parse takes the 30th of February for the 2nd of March. */
function isCalendarDay(isoText: string): boolean {
  const day = Number(isoText.slice(8, 10));
  if (day <= 28) return true;
  return day <= new Date(Date.UTC(Number(isoText.slice(0, 4)), Number(isoText.slice(5, 7)), 0)).getUTCDate();
}
