import { weekStart } from "../../kernel/day-spans.ts";
import { isIndependent } from "../standing/independence.ts";
import type { LookRow } from "../types.ts";
import type { CoverageSighting } from "./coverage-window.ts";

/** A cell was looked at on one or more of these days. */
export interface LookedSpan {
  readonly cell: string;
  readonly first: number; // solar day numbers; the same for an observation
  readonly last: number;
}

/**
 * Cells looked at: those of the week rows, and those of observations of fixed assets that count, at once. The days of a
 * week row are unknown, so it counts where the whole week does.
 */
export function lookedSpans(citations: readonly CoverageSighting[], looks: readonly LookRow[]): LookedSpan[] {
  const finds = citations
    .filter((sighting) => sighting.fine && isIndependent(sighting))
    .map(({ cell, day }) => ({ cell, first: day, last: day }));
  const weeks = looks
    .filter(({ span }) => span === "week")
    .flatMap(({ cells, first, last }) => cells.map((cell) => ({ cell, first, last })));
  return finds.concat(weeks);
}

/** Cells that were looked at in a window of days, each with the number of ISO weeks in which it was. */
export function weeksByCell(
  spans: readonly LookedSpan[],
  window: { first: number; last: number },
): Map<string, number> {
  const weeks = new Map<string, Set<number>>();
  for (const { cell, first, last } of spans) {
    if (first < window.first || last > window.last) continue;
    const known = weeks.get(cell);
    if (known === undefined) weeks.set(cell, new Set([weekStart(first)]));
    else known.add(weekStart(first));
  }
  return new Map([...weeks].map(([cell, distinct]) => [cell, distinct.size]));
}
