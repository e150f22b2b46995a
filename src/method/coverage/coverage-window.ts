import { weekStart } from "../../kernel/time.ts";
import { type AsOf, PARAMETERS, share, withinDays } from "../numbers.ts";
import { Counter, isIndependent } from "../standing/counting.ts";
import type { LookRow, Sighting } from "../types.ts";

/** The items ordered by a solar day of each; those of a day stay in their order. Days are few, so nothing is compared. */
export function byDay<Item>(items: readonly Item[], dayOf: (item: Item) => number): Item[] {
  const days = [...Map.groupBy(items, dayOf)].sort(([a], [b]) => a - b);
  return days.flatMap(([, own]) => own);
}

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

/** The eligible cells of a city with what each weighs: 1, unless the city's list says otherwise. */
export class Denominator {
  readonly #weights: ReadonlyMap<string, number>;
  readonly #total: number;

  /** `weights` belong to the cells in their order. */
  constructor(cells: readonly string[], weights?: readonly number[]) {
    this.#weights = new Map(cells.map((cell, at) => [cell, weights?.[at] ?? 1]));
    this.#total = this.weightOf(this.#weights.keys());
  }

  get size(): number {
    return this.#weights.size;
  }

  /** What a cell weighs; 0 for one that is not eligible. */
  weight(cell: string): number {
    return this.#weights.get(cell) ?? 0;
  }

  /** What cells weigh together: whole numbers, so the sum is exact in any order. */
  weightOf(cells: Iterable<string>): number {
    let sum = 0;
    for (const cell of cells) sum += this.weight(cell);
    return sum;
  }

  /** The exact share of a weight in all of it. */
  ratio(weight: number): number {
    return this.#total === 0 ? 0 : weight / this.#total;
  }

  /** The share as it is published. */
  share(weight: number): number {
    return share(weight, this.#total);
  }
}

/** What coverage needs of a sighting in a city. */
export interface CoverageSighting
  extends Pick<
    Sighting,
    "asset" | "source" | "observer" | "observedAt" | "day" | "cell" | "fine" | "verdict" | "setAside"
  > {
  readonly record: number;
  /** The scout's principal, the same across the city's records. Counted, never published; unknown once it is erased, while the row is still public. */
  readonly scout: number | undefined;
}

/** Inputs of the dense gate and the tier on one day of a city's sweep. */
export class CoverageWindow {
  readonly #denominator: Denominator;
  readonly #seenCells = new Counter<string>();
  readonly #scouts = new Counter<number>();
  #citations = 0;
  #seenWeight = 0;

  constructor(denominator: Denominator) {
    this.#denominator = denominator;
  }

  addCitation({ scout }: CoverageSighting): void {
    this.#citations += 1;
    if (scout !== undefined) this.#scouts.add(scout);
  }

  removeCitation({ scout }: CoverageSighting): void {
    this.#citations -= 1;
    if (scout !== undefined) this.#scouts.remove(scout);
  }

  addCell(cell: string): void {
    const weight = this.#denominator.weight(cell);
    if (weight === 0) return;
    if (this.#seenCells.add(cell) === 1) this.#seenWeight += weight;
  }

  removeCell(cell: string): void {
    const weight = this.#denominator.weight(cell);
    if (weight === 0) return;
    if (this.#seenCells.remove(cell) === 0) this.#seenWeight -= weight;
  }

  get citations(): number {
    return this.#citations;
  }

  /** Eligible cells looked at in the cell window. */
  get seenCells(): number {
    return this.#seenCells.distinct;
  }

  get seenWeight(): number {
    return this.#seenWeight;
  }

  get scouts(): number {
    return this.#scouts.distinct;
  }
}

/** The metrics of interface 2.10 with their published names. Shares are 0..1 with four decimals. */
export type CoverageMetrics = ReturnType<typeof coverageMetrics>;

/** Computes the metrics over a city's citations: sightings not rejected and observed by `asOf`. */
export function coverageMetrics(
  citations: readonly CoverageSighting[],
  looked: readonly LookedSpan[],
  denominator: Denominator,
  asOf: AsOf,
) {
  const { citationDays, activeDays } = PARAMETERS.coverage;
  const recent = citations.filter(({ day }) => withinDays(day, asOf, citationDays));
  const active = recent.filter(({ day }) => withinDays(day, asOf, activeDays));
  return {
    physical_citations_180d: recent.length,
    unique_entities_180d: distinct(recent, ({ record }) => record),
    unique_assets_180d: distinct(recent, ({ asset }) => asset),
    ...cellMetrics(looked, denominator, asOf),
    ...scoutMetrics(recent.filter(({ source, setAside }) => source === "scout" && setAside === null)),
    repeat_entity_rate_180d: repeatRate(recent),
    active_observation_days_30d: distinct(active, ({ day }) => day),
    ...sourceMetrics(recent),
  };
}

function cellMetrics(looked: readonly LookedSpan[], denominator: Denominator, asOf: AsOf) {
  const { cellDays, freshCellDays, repeatWeeks } = PARAMETERS.coverage;
  const observed = weeksByCell(looked, windowOf(asOf, cellDays));
  const fresh = weeksByCell(looked, windowOf(asOf, freshCellDays));
  const eligible = [...observed.keys()].filter((cell) => denominator.weight(cell) > 0);
  const repeated = eligible.filter((cell) => (observed.get(cell) ?? 0) >= repeatWeeks);
  return {
    observed_cells_90d: observed.size,
    observed_eligible_cells_90d: eligible.length,
    eligible_coverage_cells: denominator.size,
    cell_coverage_ratio_90d: denominator.share(denominator.weightOf(eligible)),
    repeated_eligible_cells_90d: repeated.length,
    repeated_cell_ratio_90d: denominator.share(denominator.weightOf(repeated)),
    fresh_cell_rate_45d: share(fresh.size, observed.size),
  };
}

/** The exact shares behind the two ratios: thresholds apply to them, not to the published decimals. */
export function exactRatios(looked: readonly LookedSpan[], denominator: Denominator, asOf: AsOf) {
  const { cellDays, repeatWeeks } = PARAMETERS.coverage;
  const observed = weeksByCell(looked, windowOf(asOf, cellDays));
  const repeated = [...observed].filter(([, weeks]) => weeks >= repeatWeeks).map(([cell]) => cell);
  return {
    observed: denominator.ratio(denominator.weightOf(observed.keys())),
    repeated: denominator.ratio(denominator.weightOf(repeated)),
  };
}

function windowOf(asOf: AsOf, days: number): { first: number; last: number } {
  return { first: asOf.day - days + 1, last: asOf.day };
}

// A scout is a principal, private across records: public files can reproduce the observations and days, not the number of scouts.
function scoutMetrics(scouted: readonly CoverageSighting[]) {
  return {
    independent_scout_observers_180d: new Set(scouted.flatMap(({ scout }) => scout ?? [])).size,
    independent_scout_observations_180d: distinct(
      scouted,
      ({ record, observer, day }) => `${record} ${observer} ${day}`,
    ),
    independent_scout_days_180d: distinct(scouted, ({ day }) => day),
  };
}

/** Share of records observed on two or more days. */
function repeatRate(recent: readonly CoverageSighting[]): number {
  const perRecord = [...Map.groupBy(recent, ({ record }) => record).values()];
  return share(
    perRecord.filter((sightings) => sightings.some(({ day }) => day !== sightings[0]?.day)).length,
    perRecord.length,
  );
}

function sourceMetrics(recent: readonly CoverageSighting[]) {
  const perSource = [...Map.groupBy(recent, ({ source }) => source).values()];
  const largest = perSource.reduce((most, sightings) => Math.max(most, sightings.length), 0);
  return {
    source_family_count_180d: perSource.length,
    largest_source_family_share_180d: share(largest, recent.length),
  };
}

function distinct<T, K>(items: readonly T[], key: (item: T) => K): number {
  const keys = new Set<K>();
  for (const item of items) keys.add(key(item));
  return keys.size;
}
