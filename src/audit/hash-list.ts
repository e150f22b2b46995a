import { Frontier } from "../ledger/tree/merkle.ts";
import { HASH_BYTES } from "../tlog/tile.ts";

const PER_BLOCK = 8192;

/** Hashes one behind the other in blocks of memory: a million Buffers of 32 bytes would keep ten times as much alive. */
export class HashList {
  #blocks: Uint8Array[] = [];
  #first = 0; // how many of the first block are dropped
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(hash: Uint8Array): void {
    const at = this.#first + this.#length;
    if (at % PER_BLOCK === 0) this.#blocks.push(new Uint8Array(PER_BLOCK * HASH_BYTES));
    this.#blocks.at(-1)?.set(hash, (at % PER_BLOCK) * HASH_BYTES);
    this.#length += 1;
  }

  /** Undefined when there is none at that place. */
  at(index: number): Buffer | undefined {
    const at = this.#first + index;
    const block = index < 0 || index >= this.#length ? undefined : this.#blocks[Math.floor(at / PER_BLOCK)];
    const from = (at % PER_BLOCK) * HASH_BYTES;
    return block && Buffer.from(block.subarray(from, from + HASH_BYTES));
  }

  /** RFC 6962 root over the first `count`, or over all when there are fewer. */
  root(count: number): Buffer {
    const tree = new Frontier();
    for (let index = 0; index < count; index += 1) {
      const hash = this.at(index);
      if (hash === undefined) break;
      tree.push(hash);
    }
    return tree.root();
  }

  dropFirst(count: number): void {
    const dropped = Math.max(0, Math.min(count, this.#length));
    const at = this.#first + dropped;
    this.#blocks = this.#blocks.slice(Math.floor(at / PER_BLOCK));
    this.#first = at % PER_BLOCK;
    this.#length -= dropped;
  }
}
