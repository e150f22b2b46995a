import { Counter } from "../standing/counter.ts";
import type { Sighting } from "../types.ts";
import type { Denominator } from "./denominator.ts";

/** What coverage needs of a sighting in a city. */
export interface CoverageSighting
  extends Pick<
    Sighting,
    "asset" | "source" | "observedAt" | "day" | "cell" | "fine" | "verdict" | "setAside"
  > {
  readonly record: number;
  /** The scout's principal, the same across the city's records. Counted, never published. */
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
