/**
 * A cache in front of a table: at most twice `limit` entries. When the young generation is full it becomes the old one, and
 * the old one is dropped; what is used survives because a hit moves it back.
 */
export class BoundedCache<K, V> {
  readonly #limit: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): V {
    if (this.#young.size >= this.#limit) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
    return value;
  }

  /** The cached value, or else that of `make`, which is cached. */
  take(key: K, make: () => V): V {
    const known = this.get(key);
    return known === undefined ? this.set(key, make()) : known;
  }
}
