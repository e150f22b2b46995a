import { blockOf, encodeBlock, offsetOf } from "./offset-block.ts";
import { GRAM_LENGTH } from "./search-terms.ts";

/** The key of a block of offsets is block number * this + term id, so that blocks are written in key order. */
export const BLOCK_KEY_SPAN = 2 ** 32;

const NONE = new Uint16Array(0);

/** Ascending offsets of one block, without duplicates. Sixteen bits each: a million names have seventy million of them. */
class OffsetList {
  #room = NONE;
  #count = 0;

  add(offset: number): void {
    if (offset === this.#room[this.#count - 1]) return;
    if (this.#count === this.#room.length) this.#grow();
    this.#room[this.#count] = offset;
    this.#count += 1;
  }

  /** Returns all offsets and empties the list. */
  take(): Uint16Array {
    const offsets = this.#room.subarray(0, this.#count);
    this.#room = NONE;
    this.#count = 0;
    return offsets;
  }

  #grow(): void {
    const larger = new Uint16Array(Math.max(8, 2 * this.#count));
    larger.set(this.#room);
    this.#room = larger;
  }
}

class Term {
  readonly text: string;
  readonly offsets = new OffsetList(); // in the block being filled
  longer: Map<string, Term> | undefined; // by the next character
  records = 0;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Collects, block by block of positions, which records have which terms. Grams are found by walking from character to
 * character, which avoids 70 strings per name. Term ids are in order of first appearance.
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

  /** Files a record under every run of 1 to 3 characters of its name, and under its facets. */
  add(position: number, characters: readonly string[], facets: readonly string[]): void {
    if (position <= this.#position) throw new RangeError(`position ${position} after ${this.#position}`);
    if (blockOf(position) !== blockOf(this.#position)) this.flush();
    this.#position = position;
    const offset = offsetOf(position);
    for (const facet of facets) this.#longer(this.#root, facet).offsets.add(offset);
    for (let start = 0; start < characters.length; start += 1) {
      const end = Math.min(start + GRAM_LENGTH, characters.length);
      let term = this.#root;
      for (let at = start; at < end; at += 1) {
        term = this.#longer(term, characters[at] ?? "");
        term.offsets.add(offset);
      }
    }
  }

  /** Writes the sets of the current block. */
  flush(): void {
    for (const [id, term] of this.#byId.entries()) {
      const offsets = term.offsets.take();
      if (offsets.length === 0) continue;
      this.#write(blockOf(this.#position) * BLOCK_KEY_SPAN + id, encodeBlock(offsets));
      term.records += offsets.length;
    }
  }

  /** Every term with its id; `records` counts what is flushed. */
  all(): Iterable<[number, { readonly text: string; readonly records: number }]> {
    return this.#byId.entries();
  }

  #longer(term: Term, next: string): Term {
    const known = term.longer?.get(next);
    if (known !== undefined) return known;
    const added = new Term(term.text + next);
    term.longer ??= new Map();
    term.longer.set(next, added);
    this.#byId.push(added);
    return added;
  }
}
