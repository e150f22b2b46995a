/** How often each key is inside a moving window. The window's owner adds what enters and removes what leaves. */
export class Counter<K> {
  readonly #counts = new Map<K, number>();

  /** Returns the new count of the key: 1 means the key just entered. */
  add(key: K): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }

  /** Returns the new count of the key: 0 means the key just left. The key must be inside. */
  remove(key: K): number {
    const count = (this.#counts.get(key) ?? 0) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
    return count;
  }

  get distinct(): number {
    return this.#counts.size;
  }

  /** The count of the most frequent key; 0 when empty. */
  get largest(): number {
    let largest = 0;
    for (const count of this.#counts.values()) if (count > largest) largest = count;
    return largest;
  }
}
