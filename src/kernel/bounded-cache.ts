/**
 * A cache in front of a table: at most twice `limit` entries, or twice that weight. When the young generation is full it
 * becomes the old one, and the old one is dropped; what is used survives because a hit moves it back.
 */
export class BoundedCache<K, V> {
  readonly #limit: number;
  readonly #weightOf: (value: V, key: K) => number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #weight = 0; // of the young generation

  /** Each entry weighs 1 by default. A heavier one than `limit` is not kept. */
  constructor(limit: number, weightOf: (value: V, key: K) => number = () => 1) {
    this.#limit = limit;
    this.#weightOf = weightOf;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** A key that is set again keeps its first weight until it is dropped. */
  set(key: K, value: V): V {
    const weight = this.#weightOf(value, key);
    if (weight > this.#limit) return value;
    if (this.#weight + weight > this.#limit) this.#age();
    const { size } = this.#young;
    this.#young.set(key, value);
    if (this.#young.size > size) this.#weight += weight;
    return value;
  }

  /** The cached value, or else that of `make`, which is cached. */
  take(key: K, make: () => V): V {
    const known = this.get(key);
    return known === undefined ? this.set(key, make()) : known;
  }

  #age(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#weight = 0;
  }
}
