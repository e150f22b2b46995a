import { BoundedCache } from "../kernel/bounded-cache.ts";
import type { ReadContext } from "./define.ts";

/** Results by keys, of which they are a function in one release. A new release forgets them all. */
export class ReleaseMemory<T> {
  readonly #maxBytes: number;
  readonly #bytesOf: (result: T, key: string) => number;
  #snapshot: ReadContext["snapshot"] | undefined;
  #results = new BoundedCache<string, T>(0);

  constructor(maxBytes: number, bytesOf: (result: T, key: string) => number) {
    this.#maxBytes = maxBytes;
    this.#bytesOf = bytesOf;
  }

  /** What is remembered of a release. */
  of({ snapshot }: ReadContext): BoundedCache<string, T> {
    if (snapshot !== this.#snapshot) {
      this.#snapshot = snapshot;
      this.#results = new BoundedCache(this.#maxBytes / 2, this.#bytesOf); // it holds twice its limit
    }
    return this.#results;
  }
}
