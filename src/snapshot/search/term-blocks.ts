import { grown } from "./name-sets.ts";
import { BLOCK_SIZE, blockOf, encodeBlock, offsetOf } from "./offset-block.ts";

/** The key of a block of offsets is block number * this + term, so that blocks are written in key order. */
export const BLOCK_KEY_SPAN = 2 ** 32;

const FIRST_TERMS = 1024;

/**
 * Collects which records have which terms, a block of positions at a time: counts the records of each term as they come, and sorts
 * a complete block by term. Terms are integers from 0.
 */
export class TermBlocks {
  readonly #write: (key: number, block: Uint8Array) => void;
  #position = 0;

  // By term.
  #last = new Uint32Array(FIRST_TERMS); // position
  #inBlock = new Uint32Array(FIRST_TERMS); // records
  #flushed = new Uint32Array(FIRST_TERMS); // records of the blocks before

  // By record of the block.
  readonly #offsets = new Uint16Array(BLOCK_SIZE);
  readonly #starts = new Uint32Array(BLOCK_SIZE + 1); // of its terms in `#terms`
  #count = 0;

  /** Terms of one record after the other. A block of names of 28 characters has five million. */
  #terms = new Uint32Array(BLOCK_SIZE);
  #length = 0;

  /** `write` gets the set of offsets of each term in each block, by ascending key. */
  constructor(write: (key: number, block: Uint8Array) => void) {
    this.#write = write;
  }

  /** Begins a record. Throws RangeError when its position is not above the one before. */
  begin(position: number): void {
    if (position <= this.#position) throw new RangeError(`position ${position} after ${this.#position}`);
    if (blockOf(position) !== blockOf(this.#position)) this.flush();
    this.#position = position;
    this.#offsets[this.#count] = offsetOf(position);
    this.#starts[this.#count] = this.#length;
    this.#count += 1;
  }

  /** Files the record under a term, once even if called again. */
  add(term: number): void {
    if (term >= this.#last.length) this.#growTo(term + 1);
    if (this.#last[term] === this.#position) return;
    this.#last[term] = this.#position;
    this.#inBlock[term] = (this.#inBlock[term] ?? 0) + 1;
    if (this.#length === this.#terms.length) this.#terms = grown(this.#terms, this.#length + 1);
    this.#terms[this.#length] = term;
    this.#length += 1;
  }

  /** Writes the sets of the current block. */
  flush(): void {
    const { offsets, ends } = this.#byTerm();
    const firstKey = blockOf(this.#position) * BLOCK_KEY_SPAN;
    let start = 0;
    for (const [term, end] of ends.entries()) {
      if (end === start) continue;
      this.#write(firstKey + term, encodeBlock(offsets.subarray(start, end)));
      this.#flushed[term] = (this.#flushed[term] ?? 0) + end - start;
      start = end;
    }
    this.#inBlock.fill(0);
    this.#count = 0;
    this.#length = 0;
  }

  /** The number of records that have a term, in the blocks that were flushed. */
  records(term: number): number {
    return this.#flushed[term] ?? 0;
  }

  /** The block's offsets, ascending within each term, and for each term the end of its offsets: a counting sort. */
  #byTerm(): { readonly offsets: Uint16Array; readonly ends: Uint32Array } {
    const offsets = new Uint16Array(this.#length);
    const ends = startsOf(this.#inBlock);
    this.#starts[this.#count] = this.#length;
    for (let record = 0; record < this.#count; record += 1) {
      const offset = this.#offsets[record] ?? 0;
      const end = this.#starts[record + 1] ?? 0;
      for (let at = this.#starts[record] ?? 0; at < end; at += 1) {
        const term = this.#terms[at] ?? 0;
        const place = ends[term] ?? 0;
        offsets[place] = offset;
        ends[term] = place + 1;
      }
    }
    return { offsets, ends };
  }

  #growTo(terms: number): void {
    this.#last = grown(this.#last, terms);
    this.#inBlock = grown(this.#inBlock, terms);
    this.#flushed = grown(this.#flushed, terms);
  }
}

/** Where each one begins when so many of each lie one after the other. */
function startsOf(counts: Uint32Array): Uint32Array {
  let sum = 0;
  return counts.map((count) => {
    sum += count;
    return sum - count;
  });
}
