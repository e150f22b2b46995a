import { type AsOf, withinDays } from "../as-of.ts";
import { isCitation } from "../citation.ts";
import { PARAMETERS } from "../parameters.ts";
import type { CoverageSighting } from "./coverage-window.ts";

/** Observations in one resolution-8 cell. The 90 days match the metric `observed_cells_90d`. */
export interface CellCounts {
  readonly cell: string;
  readonly observations90d: number; // physical citations
  readonly records90d: number; // distinct records with these citations
  readonly observations: number; // physical citations of all time, never 0
  readonly lastObserved: number; // ms, time of the last citation
}

/** Returns a city's observed cells, eligible or not, by cell. Mobile assets are excluded: their resolution is coarser. */
export function cellCounts(sightings: readonly CoverageSighting[], asOf: AsOf): CellCounts[] {
  const fine = sightings.filter((sighting) => sighting.fine && isCitation(sighting, asOf));
  return [...Map.groupBy(fine, ({ cell }) => cell)]
    .map(([cell, seen]) => countsOf(cell, seen, asOf))
    .sort((a, b) => (a.cell < b.cell ? -1 : 1));
}

function countsOf(cell: string, seen: readonly CoverageSighting[], asOf: AsOf): CellCounts {
  const recent = seen.filter(({ day }) => withinDays(day, asOf, PARAMETERS.coverage.cellDays));
  return {
    cell,
    observations90d: recent.length,
    records90d: new Set(recent.map(({ record }) => record)).size,
    observations: seen.length,
    lastObserved: seen.reduce(
      (latest, { observedAt }) => Math.max(latest, observedAt),
      Number.NEGATIVE_INFINITY,
    ),
  };
}
