import type { CityCell } from "../contract/city-cells.ts";
import { isoDate } from "../kernel/time.ts";
import type { CellCountsRow } from "../snapshot/rows.ts";
import type { ReadContext } from "./define.ts";

/** Every eligible cell of a city and every other in which something was observed, by cell; none for an unknown city. */
export function cityCells({ snapshot }: Pick<ReadContext, "snapshot">, slug: string): CityCell[] {
  const eligible = new Set(snapshot.city(slug)?.cells);
  const observed = new Map(snapshot.cellCounts(slug).map((counts) => [counts.cell, counts]));
  return [...new Set([...eligible, ...observed.keys()])]
    .sort()
    .map((cell) => cityCell(cell, eligible.has(cell), observed.get(cell)));
}

function cityCell(cell: string, eligible: boolean, counts: CellCountsRow | undefined): CityCell {
  return {
    h3_cell: cell,
    eligible,
    observations_90d: counts?.observations90d ?? 0,
    records_90d: counts?.records90d ?? 0,
    observations: counts?.observations ?? 0,
    last_observed: counts === undefined ? null : isoDate(counts.lastObserved),
  };
}
