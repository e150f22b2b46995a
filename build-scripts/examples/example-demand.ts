import { DEMAND } from "../../src/contract/limits.ts";
import type { DemandInput } from "../../src/snapshot/demand.ts";

/** Invented figures for the days before `windowEnd`, the start of a UTC day: one city with demand enough to be published, and one without. */
export function exampleDemand(windowEnd: number): DemandInput {
  return {
    windowEnd,
    windowDays: DEMAND.windowDays,
    cities: [
      {
        city: "exampleville",
        dailyClients: 164,
        searches: 412,
        searchesWithoutResult: 37,
        alertSubscriptions: 5,
      },
      { city: "examplebury", dailyClients: 6, searches: 11, searchesWithoutResult: 4, alertSubscriptions: 0 },
    ],
  };
}
