/** Draws of the simulated town from one fast seeded generator: the same seed plays the same attack on every machine. */

import { seededRandom } from "../../../src/kernel/seeded.ts";

export class Chance {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  /** 0 <= x < 1. */
  next(): number {
    return this.#next();
  }

  /** From `low` up to, and without, `high`. */
  within(low: number, high: number): number {
    return low + this.#next() * (high - low);
  }

  /** A whole number, both ends included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.#next() * (high - low + 1));
  }

  is(probability: number): boolean {
    return this.#next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[Math.floor(this.#next() * values.length)];
    if (value === undefined) throw new RangeError("nothing to pick from");
    return value;
  }

  /** `count` different values, or all when there are fewer. */
  some<T>(values: readonly T[], count: number): T[] {
    return this.shuffled(values).slice(0, count);
  }

  /** The values in a drawn order, each place equally likely. */
  shuffled<T>(values: readonly T[]): T[] {
    return values
      .map((value) => ({ value, order: this.#next() }))
      .sort((a, b) => a.order - b.order)
      .map(({ value }) => value);
  }

  /** Normally distributed around 0 (Box and Muller). */
  noise(deviation: number): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.#next()));
    return deviation * radius * Math.cos(2 * Math.PI * this.#next());
  }

  hex(digits: number): string {
    let text = "";
    while (text.length < digits)
      text += Math.floor(this.#next() * 65_536)
        .toString(16)
        .padStart(4, "0");
    return text.slice(0, digits);
  }
}
