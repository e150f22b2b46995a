import { solarDayNumber } from "../kernel/time.ts";
import type { AsOf } from "./as-of.ts";
import { PARAMETERS } from "./parameters.ts";
import type { Sighting } from "./types.ts";

/** Returns whether a row can raise events. Archives, seed surveys and rows older than 30 days at publication cannot. */
export function isLive({ archived, source, day, publishedAt }: Sighting, { offsetHours }: AsOf): boolean {
  const delay = solarDayNumber(publishedAt, offsetHours) - day;
  return !archived && source !== "seed_survey" && delay <= PARAMETERS.events.lateDays;
}
