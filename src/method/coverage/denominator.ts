import { share } from "../numbers.ts";

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
