import { solarDayNumber } from "../kernel/time.ts";
import type { AsOf } from "./as-of.ts";
import { PARAMETERS } from "./parameters.ts";
import type { Sighting } from "./types.ts";

/** Whether a sighting can raise an event: not from an archive or seed survey, and published within 30 days. */
export function isLive({ archived, source, day, publishedAt }: Sighting, { offsetHours }: AsOf): boolean {
  const delay = solarDayNumber(publishedAt, offsetHours) - day;
  return !archived && source !== "seed_survey" && delay <= PARAMETERS.events.lateDays;
}
