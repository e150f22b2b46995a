/** Hands on what comes in any order, each item with its number from 0 on, in the order of the numbers. Owns what came too early. */
export class InOrder<T> {
  readonly #handOn: (item: T) => void;
  readonly #early = new Map<number, { readonly item: T }>();
  #next = 0;

  constructor(handOn: (item: T) => void) {
    this.#handOn = handOn;
  }

  /** Hands on the item, and those that waited for it, unless an earlier one is missing. */
  take(number: number, item: T): void {
    this.#early.set(number, { item });
    for (let next = this.#early.get(this.#next); next !== undefined; next = this.#early.get(this.#next)) {
      this.#early.delete(this.#next);
      this.#next += 1;
      this.#handOn(next.item);
    }
  }
}
