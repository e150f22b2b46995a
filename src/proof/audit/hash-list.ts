import { EMPTY_ROOT } from "../../kernel/merkle-hash.ts";
import { Frontier } from "../../ledger/tree/merkle.ts";
import { HASH_BYTES } from "../tlog/tile.ts";

const PER_BLOCK = 8192;
const MARK = 256;

/**
 * Hashes one behind the other in blocks of memory: a million Buffers of 32 bytes would keep ten times as much alive. Grows the tree
 * over them on the way, so that a root costs little when it is asked for.
 */
export class HashList {
  #blocks: Uint8Array[] = [];
  #tree = new Frontier();
  #edges: Buffer[] = []; // of the tree, each time that it has grown by MARK
  #first = 0; // how many of the first block are dropped
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(hash: Buffer): void {
    const at = this.#first + this.#length;
    if (at % PER_BLOCK === 0) this.#blocks.push(new Uint8Array(PER_BLOCK * HASH_BYTES));
    this.#blocks.at(-1)?.set(hash, (at % PER_BLOCK) * HASH_BYTES);
    this.#length += 1;
    this.#grow(hash);
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
    if (count >= this.#length) return this.#tree.root();
    const marks = Math.floor(count / MARK);
    const tree = Frontier.fromBytes(marks * MARK, this.#edges[marks - 1] ?? Buffer.alloc(0));
    for (let index = marks * MARK; index < count; index += 1) tree.push(this.at(index) ?? EMPTY_ROOT);
    return tree.root();
  }

  dropFirst(count: number): void {
    const dropped = Math.max(0, Math.min(count, this.#length));
    const at = this.#first + dropped;
    this.#blocks = this.#blocks.slice(Math.floor(at / PER_BLOCK));
    this.#first = at % PER_BLOCK;
    this.#length -= dropped;
    if (dropped === 0) return;
    this.#tree = new Frontier();
    this.#edges = [];
    for (let index = 0; index < this.#length; index += 1) this.#grow(this.at(index) ?? EMPTY_ROOT);
  }

  #grow(hash: Buffer): void {
    this.#tree.push(hash);
    if (this.#tree.size % MARK === 0) this.#edges.push(this.#tree.toBytes());
  }
}
