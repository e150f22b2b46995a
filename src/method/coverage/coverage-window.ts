import { Counter } from "../standing/counter.ts";
import type { Sighting } from "../types.ts";

/** A sighting in a city with its record. */
export interface CoverageSighting extends Sighting {
  readonly record: number;
  /** Private hash of the scout, the same across the city's records. Counted, never published. */
  readonly scout: number | undefined;
}

/** Inputs of the dense gate and the tier on one day of a city's sweep. */
export class CoverageWindow {
  readonly #cells: ReadonlySet<string>;
  readonly #seenCells = new Counter<string>();
  readonly #scouts = new Counter<number>();
  #citations = 0;

  constructor(eligibleCells: ReadonlySet<string>) {
    this.#cells = eligibleCells;
  }

  addCitation({ scout }: CoverageSighting): void {
    this.#citations += 1;
    if (scout !== undefined) this.#scouts.add(scout);
  }

  removeCitation({ scout }: CoverageSighting): void {
    this.#citations -= 1;
    if (scout !== undefined) this.#scouts.remove(scout);
  }

  addCell({ fine, cell }: CoverageSighting): void {
    if (fine && this.#cells.has(cell)) this.#seenCells.add(cell);
  }

  removeCell({ fine, cell }: CoverageSighting): void {
    if (fine && this.#cells.has(cell)) this.#seenCells.remove(cell);
  }

  get citations(): number {
    return this.#citations;
  }

  get seenCells(): number {
    return this.#seenCells.distinct;
  }

  get scouts(): number {
    return this.#scouts.distinct;
  }
}
