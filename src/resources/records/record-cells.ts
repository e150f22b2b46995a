import { getResolution } from "h3-js";
import { cityDate } from "../../kernel/time.ts";
import type { ReadContext } from "../define.ts";

/** Cells in which a record was observed, at published resolution: 8, or 7 for mobile assets. */
export interface RecordCell {
  readonly h3_cell: string;
  readonly resolution: number;
  readonly observations: number; // rejected ones excluded
  readonly last_observed: string; // day of the last of them in the city's solar time
}

/** Returns the cells of a record's accepted observations, by cell; empty for an unknown record. */
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
