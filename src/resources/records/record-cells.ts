import { getResolution } from "h3-js";
import { cityDate } from "../../kernel/time.ts";
import type { ReadContext } from "../define.ts";

/** Returns the cells of a record's accepted observations, by cell, at published resolution (8, or 7 for mobile assets); empty for an unknown record. */
export function recordCells({ snapshot }: Pick<ReadContext, "snapshot">, publicId: string) {
  const city = snapshot.city(snapshot.record(publicId)?.city ?? "");
  if (city === undefined) return [];
  return snapshot.cellsOf(publicId).map(({ cell, observations, lastObserved }) => ({
    h3_cell: cell,
    resolution: getResolution(cell),
    observations, // rejected ones excluded
    last_observed: cityDate(lastObserved, city.lng), // day of the last of them in the city's solar time
  }));
}
