import { blockOf, encodeBlock, offsetOf } from "./offset-block.ts";
import { GRAM_LENGTH } from "./search-terms.ts";

/** The key of a block of offsets is block number * this + term id, so that blocks are written in key order. */
export const BLOCK_KEY_SPAN = 2 ** 32;

const NONE = new Uint16Array(0);

/** Code points of the letters, digits and signs that nearly all names consist of. */
const COMMON = 128;

class Term {
  readonly text: string;
  records = 0;
  /** Ascending offsets of the block being filled, without duplicates. Sixteen bits each: a million names have seventy million of them. */
  #offsets = NONE;
  #count = 0;
  #common: (Term | undefined)[] | undefined; // by the next character, as the next one
  #others: Map<number, Term> | undefined;

  constructor(text: string) {
    this.text = text;
  }

  add(offset: number): void {
    if (offset === this.#offsets[this.#count - 1]) return;
    if (this.#count === this.#offsets.length) this.#grow();
    this.#offsets[this.#count] = offset;
    this.#count += 1;
  }

  /** Returns all offsets and empties the list. */
  take(): Uint16Array {
    const offsets = this.#offsets.subarray(0, this.#count);
    this.#offsets = NONE;
    this.#count = 0;
    return offsets;
  }

  #grow(): void {
    const larger = new Uint16Array(Math.max(8, 2 * this.#count));
    larger.set(this.#offsets);
    this.#offsets = larger;
  }

  longer(codePoint: number): Term | undefined {
    return codePoint < COMMON ? this.#common?.[codePoint] : this.#others?.get(codePoint);
  }

  lengthen(codePoint: number): Term {
    const added = new Term(this.text + String.fromCodePoint(codePoint));
    if (codePoint < COMMON) {
      this.#common ??= new Array<Term | undefined>(COMMON).fill(undefined);
      this.#common[codePoint] = added;
    } else {
      this.#others ??= new Map();
      this.#others.set(codePoint, added);
    }
    return added;
  }
}

/**
 * Collects, block by block of positions, which records have which terms. Grams are found by walking from character to
 * character, which avoids 70 strings per name. Term ids are in order of first appearance.
 */
export class TermTree {
  readonly #root = new Term("");
  readonly #facets = new Map<string, Term>();
  readonly #byId: Term[] = [];
  readonly #write: (key: number, block: Uint8Array) => void;
  #position = 0;

  /** `write` gets each finished set of offsets, by ascending key. */
  constructor(write: (key: number, block: Uint8Array) => void) {
    this.#write = write;
  }

  /** Files a record under every run of 1 to 3 characters of its name, and under its facets. */
  add(position: number, name: string, facets: readonly string[]): void {
    if (position <= this.#position) throw new RangeError(`position ${position} after ${this.#position}`);
    if (blockOf(position) !== blockOf(this.#position)) this.flush();
    this.#position = position;
    const offset = offsetOf(position);
    for (const facet of facets) this.#facet(facet).add(offset);
    const codePoints = codePointsOf(name);
    for (let start = 0; start < codePoints.length; start += 1) {
      const end = Math.min(start + GRAM_LENGTH, codePoints.length);
      let term = this.#root;
      for (let at = start; at < end; at += 1) {
        const next = codePoints[at] ?? 0;
        term = term.longer(next) ?? this.#added(term.lengthen(next));
        term.add(offset);
      }
    }
  }

  /** Writes the sets of the current block. */
  flush(): void {
    for (const [id, term] of this.#byId.entries()) {
      const offsets = term.take();
      if (offsets.length === 0) continue;
      this.#write(blockOf(this.#position) * BLOCK_KEY_SPAN + id, encodeBlock(offsets));
      term.records += offsets.length;
    }
  }

  /** Every term with its id; `records` counts what is flushed. */
  all(): Iterable<[number, { readonly text: string; readonly records: number }]> {
    return this.#byId.entries();
  }

  #facet(text: string): Term {
    const known = this.#facets.get(text);
    if (known !== undefined) return known;
    const added = this.#added(new Term(text));
    this.#facets.set(text, added);
    return added;
  }

  #added(term: Term): Term {
    this.#byId.push(term);
    return term;
  }
}

function codePointsOf(name: string): number[] {
  const codePoints: number[] = [];
  for (let at = 0; at < name.length; at += 1) {
    const codePoint = name.codePointAt(at) ?? 0;
    codePoints.push(codePoint);
    if (codePoint > 0xffff) at += 1; // its second half
  }
  return codePoints;
}
