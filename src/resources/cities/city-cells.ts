import type { CityCell } from "../../contract/cities/city-cells.ts";
import type { CellCounts, CityRow } from "../../snapshot/rows.ts";
import type { ReadContext } from "../define.ts";
import { cityDateOrNull } from "../plain-values.ts";

/** Returns a city's eligible and observed cells, by cell; empty for an unknown city. */
export function cityCells({ snapshot }: Pick<ReadContext, "snapshot">, slug: string): CityCell[] {
  const city = snapshot.city(slug);
  if (city === undefined) return [];
  const eligible = new Set(city.cells);
  const observed = new Map(snapshot.cellCounts(slug).map((counts) => [counts.cell, counts]));
  return [...new Set([...eligible, ...observed.keys()])]
    .sort()
    .map((cell) => cityCell(city, cell, eligible.has(cell), observed.get(cell)));
}

function cityCell(
  { lng }: CityRow,
  cell: string,
  eligible: boolean,
  counts: CellCounts | undefined,
): CityCell {
  return {
    h3_cell: cell,
    eligible,
    observations_90d: counts?.observations90d ?? 0,
    records_90d: counts?.records90d ?? 0,
    observations: counts?.observations ?? 0,
    weeks_looked_90d: counts?.weeksLooked90d ?? 0,
    months_looked: counts?.monthsLooked ?? 0,
    last_observed: cityDateOrNull(counts?.lastObserved ?? null, lng),
  };
}
