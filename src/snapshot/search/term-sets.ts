import { GramTree, grown } from "./name-sets.ts";
import { GRAM_LENGTH } from "./search-terms.ts";
import { TermBlocks } from "./term-blocks.ts";

/**
 * Collects which records have which terms: facets, and every run of 1 to 3 characters of their names (grams). Grams are found by
 * walking from character to character, which avoids 70 strings per name. Term ids are in order of first appearance.
 */
export class TermSets {
  readonly #texts: string[] = []; // by term
  readonly #facets = new Map<string, number>();
  readonly #grams = new GramTree();
  readonly #termOfGram = [-1]; // by node of the tree; the root is no term
  readonly #blocks: TermBlocks;
  #codePoints = new Uint32Array(256); // of the current name

  /** `write` gets the set of offsets of each term in each block, by ascending key. */
  constructor(write: (key: number, block: Uint8Array) => void) {
    this.#blocks = new TermBlocks(write);
  }

  /** The term of a facet. */
  facet(text: string): number {
    const known = this.#facets.get(text);
    if (known !== undefined) return known;
    const added = this.#added(text);
    this.#facets.set(text, added);
    return added;
  }

  /** Files a record under its facets and under the grams of its name. Throws RangeError when positions do not ascend. */
  add(position: number, name: string, facets: readonly number[]): void {
    this.#blocks.begin(position);
    for (const facet of facets) this.#blocks.add(facet);
    const length = this.#read(name);
    for (let start = 0; start < length; start += 1) {
      const end = Math.min(start + GRAM_LENGTH, length);
      let gram = 0;
      for (let at = start; at < end; at += 1) {
        gram = this.#longer(gram, this.#codePoints[at] ?? 0);
        this.#blocks.add(this.#termOfGram[gram] ?? 0);
      }
    }
  }

  /** Writes the sets of the current block. */
  flush(): void {
    this.#blocks.flush();
  }

  /** Every term; `records` counts what is flushed. */
  *all(): Generator<{ readonly term: string; readonly id: number; readonly records: number }> {
    for (const [id, term] of this.#texts.entries()) yield { term, id, records: this.#blocks.records(id) };
  }

  /** Puts the code points of a name into `#codePoints` and returns how many there are. */
  #read(name: string): number {
    if (name.length > this.#codePoints.length) this.#codePoints = grown(this.#codePoints, name.length);
    let length = 0;
    for (let at = 0; at < name.length; at += 1) {
      const codePoint = name.codePointAt(at) ?? 0;
      this.#codePoints[length] = codePoint;
      length += 1;
      if (codePoint > 0xffff) at += 1; // its second half
    }
    return length;
  }

  #longer(gram: number, codePoint: number): number {
    const known = this.#grams.child(gram, codePoint);
    if (known !== 0) return known;
    const shorter = gram === 0 ? "" : (this.#texts[this.#termOfGram[gram] ?? 0] ?? "");
    this.#termOfGram.push(this.#added(shorter + String.fromCodePoint(codePoint)));
    return this.#grams.addChild(gram, codePoint);
  }

  #added(text: string): number {
    return this.#texts.push(text) - 1;
  }
}
