import { type AsOf, withinDays } from "../as-of.ts";
import { PARAMETERS } from "../parameters.ts";
import type { Sighting } from "../types.ts";
import { Counter } from "./counter.ts";

/** Distinct counts over one record's countable sightings: the inputs of gate and score, except times. */
export interface EvidenceCounts {
  readonly observers: number;
  readonly observations: number;
  readonly days: number;
  readonly cells: number; // cells of resolution 8: those of mobile assets say only the city
  readonly assets: number;
  readonly busiestObserver: number; // observations by the most active observer
}

/** Returns the countable sightings of one record, ordered by day: independent, observed by `asOf`, in the window W. */
export function countable<S extends Sighting>(sightings: readonly S[], asOf: AsOf): S[] {
  return independent(sightings.filter(({ day }) => withinDays(day, asOf, PARAMETERS.window.days)));
}

/** Returns one accepted sighting per observer and day of one record, the lowest row, ordered by day and row. */
export function independent<S extends Sighting>(sightings: readonly S[]): S[] {
  const accepted = sightings.filter(({ verdict }) => verdict !== "rejected");
  accepted.sort((a, b) => a.day - b.day || a.id - b.id);
  const seenToday = new Set<string>();
  let today: number | undefined;
  return accepted.filter(({ day, observer }) => {
    if (day !== today) seenToday.clear();
    today = day;
    if (seenToday.has(observer)) return false;
    seenToday.add(observer);
    return true;
  });
}

export function countEvidence(sightings: readonly Sighting[]): EvidenceCounts {
  const window = new EvidenceWindow();
  for (const sighting of sightings) window.add(sighting);
  return window;
}

/** Counts over a moving window. The owner adds entering and removes leaving sightings. */
export class EvidenceWindow implements EvidenceCounts {
  readonly #observers = new Counter<string>();
  readonly #days = new Counter<number>();
  readonly #cells = new Counter<string>();
  readonly #assets = new Counter<number>();
  #observations = 0;

  add({ observer, day, cell, fine, asset }: Sighting): void {
    this.#observers.add(observer);
    this.#days.add(day);
    if (fine) this.#cells.add(cell);
    this.#assets.add(asset);
    this.#observations += 1;
  }

  remove({ observer, day, cell, fine, asset }: Sighting): void {
    this.#observers.remove(observer);
    this.#days.remove(day);
    if (fine) this.#cells.remove(cell);
    this.#assets.remove(asset);
    this.#observations -= 1;
  }

  get observers(): number {
    return this.#observers.distinct;
  }
  get observations(): number {
    return this.#observations;
  }
  get days(): number {
    return this.#days.distinct;
  }
  get cells(): number {
    return this.#cells.distinct;
  }
  get assets(): number {
    return this.#assets.distinct;
  }
  get busiestObserver(): number {
    return this.#observers.largest;
  }
}
