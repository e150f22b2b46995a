import { blockOf, encodeBlock, offsetOf } from "./offset-block.ts";
import { GRAM_LENGTH } from "./search-terms.ts";

/** Key of a block of offsets: number of the block * this + id of the term, so that blocks are written in key order. */
export const BLOCK_KEY_SPAN = 2 ** 32;

class Term {
  readonly text: string;
  readonly longer = new Map<string, Term>(); // by the next character
  records = 0;
  offsets: number[] = []; // in the block being filled

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Collects, block by block of positions, which records have which terms. Grams are found by walking from character to
 * character, which spares making 70 strings a name. A term's id is the order of its first appearance.
 */
export class TermTree {
  readonly #root = new Term("");
  readonly #byId: Term[] = [];
  readonly #write: (key: number, block: Uint8Array) => void;
  #position = 0;

  /** `write` gets each finished set of offsets, by ascending key. */
  constructor(write: (key: number, block: Uint8Array) => void) {
    this.#write = write;
  }

  /** File a record under every run of 1 to 3 characters of its name, and under its facets. */
  add(position: number, characters: readonly string[], facets: readonly string[]): void {
    if (position <= this.#position) throw new RangeError(`position ${position} after ${this.#position}`);
    if (blockOf(position) !== blockOf(this.#position)) this.flush();
    this.#position = position;
    for (const facet of facets) this.#file(this.#longer(this.#root, facet));
    for (let start = 0; start < characters.length; start += 1) {
      let term = this.#root;
      for (const character of characters.slice(start, start + GRAM_LENGTH)) {
        term = this.#longer(term, character);
        this.#file(term);
      }
    }
  }

  /** Write the sets of the block being filled. */
  flush(): void {
    for (const [id, term] of this.#byId.entries()) {
      if (term.offsets.length === 0) continue;
      this.#write(blockOf(this.#position) * BLOCK_KEY_SPAN + id, encodeBlock(term.offsets));
      term.records += term.offsets.length;
      term.offsets = [];
    }
  }

  /** Every term with its id; `records` counts what is flushed. */
  all(): Iterable<[number, { readonly text: string; readonly records: number }]> {
    return this.#byId.entries();
  }

  #file({ offsets }: Term): void {
    const offset = offsetOf(this.#position);
    if (offsets[offsets.length - 1] !== offset) offsets.push(offset);
  }

  #longer(term: Term, next: string): Term {
    const known = term.longer.get(next);
    if (known !== undefined) return known;
    const made = new Term(term.text + next);
    term.longer.set(next, made);
    this.#byId.push(made);
    return made;
  }
}
