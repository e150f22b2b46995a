import { isCitation } from "../citation.ts";
import { type AsOf, withinDays } from "../numbers.ts";
import { PARAMETERS } from "../parameters.ts";
import type { LookRow } from "../types.ts";
import { type CoverageSighting, lookedSpans, weeksByCell } from "./coverage-window.ts";

/** Observations and looks in one resolution-8 cell. The 90 days match the metric `observed_cells_90d`. */
export interface CellCounts {
  readonly cell: string;
  readonly observations90d: number; // physical citations
  readonly records90d: number; // distinct records with these citations
  readonly observations: number; // physical citations of all time
  readonly lastObserved: number | null; // ms, time of the last citation; null without one
  readonly weeksLooked90d: number; // ISO weeks of the window in which it was looked at, in a week row or by a find
  readonly monthsLooked: number; // months of all time in whose row it is: two or more principals looked
}

/** Returns a city's cells with observations or looks, eligible or not, by cell. Mobile assets are excluded: their resolution is coarser. */
export function cellCounts(
  sightings: readonly CoverageSighting[],
  looks: readonly LookRow[],
  asOf: AsOf,
): CellCounts[] {
  const fine = sightings.filter((sighting) => sighting.fine && isCitation(sighting, asOf));
  const finds = Map.groupBy(fine, ({ cell }) => cell);
  const window = { first: asOf.day - PARAMETERS.coverage.cellDays + 1, last: asOf.day };
  const weeks = weeksByCell(lookedSpans(fine, looks), window);
  const months = monthsByCell(looks, asOf);
  const looked = looks.filter(({ last }) => last <= asOf.day).flatMap(({ cells }) => cells);
  return [...new Set([...finds.keys(), ...looked])].sort().map((cell) => ({
    cell,
    ...findsOf(finds.get(cell) ?? [], asOf),
    weeksLooked90d: weeks.get(cell) ?? 0,
    monthsLooked: months.get(cell) ?? 0,
  }));
}

function monthsByCell(looks: readonly LookRow[], asOf: AsOf): Map<string, number> {
  const months = new Map<string, number>();
  for (const { span, last, cells } of looks) {
    if (span !== "month" || last > asOf.day) continue;
    for (const cell of cells) months.set(cell, (months.get(cell) ?? 0) + 1);
  }
  return months;
}

function findsOf(seen: readonly CoverageSighting[], asOf: AsOf) {
  const recent = seen.filter(({ day }) => withinDays(day, asOf, PARAMETERS.coverage.cellDays));
  return {
    observations90d: recent.length,
    records90d: new Set(recent.map(({ record }) => record)).size,
    observations: seen.length,
    lastObserved: seen.reduce<number | null>(
      (latest, { observedAt }) => Math.max(latest ?? observedAt, observedAt),
      null,
    ),
  };
}
