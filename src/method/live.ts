import { solarDayNumber } from "../kernel/time.ts";
import type { AsOf } from "./as-of.ts";
import { PARAMETERS } from "./parameters.ts";
import type { Sighting } from "./types.ts";

/** Rows from archives and seed surveys, and rows observed over 30 days before their publication, raise no event. */
export function isLive({ archived, source, day, publishedAt }: Sighting, { offsetHours }: AsOf): boolean {
  const delay = solarDayNumber(publishedAt, offsetHours) - day;
  return !archived && source !== "seed_survey" && delay <= PARAMETERS.events.lateDays;
}
