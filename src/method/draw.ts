import { sha256Hex } from "../kernel/hash.ts";

/** A key's place in the order of a draw, which never changes: the SHA-256 of its text, in hexadecimal digits. */
export function placeInDraw(text: string): string {
  return sha256Hex(text);
}

/** A key that was drawn, and its place in the order. */
export interface Drawn<K> {
  readonly key: K;
  readonly order: string;
}

/**
 * A random sample without replacement: the `size` keys with the first places, in their order. Anyone who knows the texts can redraw the
 * sample.
 */
export class Draw<K> {
  readonly #size: number;
  #first: Drawn<K>[] = [];
  #bound: string | undefined; // what comes after it is not drawn

  constructor(size: number) {
    this.#size = size;
  }

  offer(key: K, order: string): void {
    if (this.#bound !== undefined && order > this.#bound) return;
    this.#first.push({ key, order });
    if (this.#first.length > 2 * this.#size + 1000) this.#cut();
  }

  drawn(): readonly Drawn<K>[] {
    this.#cut();
    return this.#first;
  }

  #cut(): void {
    this.#first = this.#first.sort((a, b) => (a.order < b.order ? -1 : 1)).slice(0, this.#size);
    if (this.#first.length === this.#size) this.#bound = this.#first.at(-1)?.order;
  }
}

/** Draws from keys with their texts. */
export function drawSmallest<K>(
  candidates: Iterable<readonly [key: K, text: string]>,
  size: number,
): readonly Drawn<K>[] {
  const draw = new Draw<K>(size);
  for (const [key, text] of candidates) draw.offer(key, placeInDraw(text));
  return draw.drawn();
}
