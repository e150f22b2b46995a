import { z } from "zod";
import type { CityTask } from "../../../snapshot/fold/city-facts.ts";
import type { SharedSightings } from "../../../snapshot/fold/sighting-memory.ts";
import type { CityRelease, CityRows } from "../../../snapshot/write/city-rows.ts";

/** Messages between the thread that writes a snapshot and those that compute its cities. */

/** Millions of values that this program made: only their place in a message is checked. */
function plain<T extends object>() {
  return z.custom<T>((value) => typeof value === "object" && value !== null);
}

/** What a thread is started with: the memory that it reads. */
export const CitySightings = plain<SharedSightings>();

/** Work for a thread; `end`: there is no more. */
export const CityUnit = z.union([
  z.literal("end"),
  z.object({ unit: z.int(), task: plain<CityTask>(), release: plain<CityRelease>() }),
]);
export type CityUnit = z.infer<typeof CityUnit>;

/** A thread's report on a unit, which also asks for another one. The first report is of no unit. */
export const CityReport = z.object({ unit: z.int().optional(), rows: plain<CityRows>().optional() });
export type CityReport = z.infer<typeof CityReport>;
