/** Counts keys in a moving window. The owner adds entering and removes leaving keys. */
export class Counter<K> {
  readonly #counts = new Map<K, number>();

  /** Returns the key's new count; 1 for a new key. */
  add(key: K): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }

  /** Returns the key's new count; 0 when it leaves the window. The key must be present. */
  remove(key: K): number {
    const count = (this.#counts.get(key) ?? 0) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
    return count;
  }

  get distinct(): number {
    return this.#counts.size;
  }

  keys(): Iterable<K> {
    return this.#counts.keys();
  }
}
