import { getResolution } from "h3-js";
import { cityDate } from "../../kernel/time.ts";
import type { ReadContext } from "../define.ts";

/** Where one record was observed, as precisely as it is published: resolution 8, or 7 for moving assets. */
export interface RecordCell {
  readonly h3_cell: string;
  readonly resolution: number;
  readonly observations: number; // rejected ones left out
  readonly last_observed: string; // day of the last of them in the city's solar time
}

/** The cells of a record's observations that are not rejected, by cell; none for an unknown record. */
export function recordCells({ snapshot }: Pick<ReadContext, "snapshot">, publicId: string): RecordCell[] {
  const city = snapshot.city(snapshot.record(publicId)?.city ?? "");
  if (city === undefined) return [];
  return snapshot.cellsOf(publicId).map(({ cell, observations, lastObserved }) => ({
    h3_cell: cell,
    resolution: getResolution(cell),
    observations,
    last_observed: cityDate(lastObserved, city.lng),
  }));
}
