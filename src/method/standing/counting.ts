import { type AsOf, withinDays } from "../as-of.ts";
import { PARAMETERS } from "../parameters.ts";
import type { Sighting } from "../types.ts";
import { Counter } from "./counter.ts";
import { isIndependent } from "./independence.ts";

/** Distinct counts over one record's countable sightings: the inputs of gate and score, except times. */
export interface EvidenceCounts extends EvidenceSize {
  readonly observations: number;
  readonly days: number;
  /** Of these, the ones that temporary signs alone do not account for. */
  readonly lasting: EvidenceSize;
}

export interface EvidenceSize {
  readonly observers: number;
  readonly cells: number; // cells of resolution 8: those of mobile assets say only the city
  readonly assets: number;
}

/** Whether a sighting shows more than a temporary sign, whose presence kind is `brand_mention`. */
export function isLasting({ assetType }: Pick<Sighting, "assetType">): boolean {
  return assetType !== "temp_sign";
}

/** Returns the countable sightings of one record, ordered by day: independent, observed by `asOf`, in the window W. */
export function countable<S extends Sighting>(sightings: readonly S[], asOf: AsOf): S[] {
  return independent(sightings.filter(({ day }) => withinDays(day, asOf, PARAMETERS.window.days)));
}

/**
 * Returns one accepted sighting that counts per observer and day of one record, ordered by day: the lowest row, of a temporary
 * sign only where the observer saw nothing else of the record that day.
 */
export function independent<S extends Sighting>(sightings: readonly S[]): S[] {
  const accepted = sightings.filter(isIndependent);
  accepted.sort((a, b) => a.day - b.day || Number(isLasting(b)) - Number(isLasting(a)) || a.id - b.id);
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
  readonly lasting = new SizeWindow();
  readonly #all = new SizeWindow();
  readonly #days = new Counter<number>();
  #observations = 0;

  add(sighting: Sighting): void {
    this.#all.add(sighting);
    if (isLasting(sighting)) this.lasting.add(sighting);
    this.#days.add(sighting.day);
    this.#observations += 1;
  }

  remove(sighting: Sighting): void {
    this.#all.remove(sighting);
    if (isLasting(sighting)) this.lasting.remove(sighting);
    this.#days.remove(sighting.day);
    this.#observations -= 1;
  }

  get observations(): number {
    return this.#observations;
  }
  get days(): number {
    return this.#days.distinct;
  }
  get observers(): number {
    return this.#all.observers;
  }
  get cells(): number {
    return this.#all.cells;
  }
  get assets(): number {
    return this.#all.assets;
  }
}

class SizeWindow implements EvidenceSize {
  readonly #observers = new Counter<string>();
  readonly #cells = new Counter<string>();
  readonly #assets = new Counter<number>();

  add({ observer, cell, fine, asset }: Sighting): void {
    this.#observers.add(observer);
    if (fine) this.#cells.add(cell);
    this.#assets.add(asset);
  }

  remove({ observer, cell, fine, asset }: Sighting): void {
    this.#observers.remove(observer);
    if (fine) this.#cells.remove(cell);
    this.#assets.remove(asset);
  }

  get observers(): number {
    return this.#observers.distinct;
  }
  get cells(): number {
    return this.#cells.distinct;
  }
  get assets(): number {
    return this.#assets.distinct;
  }
}
