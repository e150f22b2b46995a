import { grown } from "./grown.ts";

/** Code points of the letters, digits and signs that nearly all names consist of. */
const COMMON = 128;

/** Code points are below this. */
const CODE_POINTS = 2 ** 21;

/** A tree of texts, one code point a level, in flat memory. Nodes are integers, 0 is the root. */
export class GramTree {
  #size = 1;
  #rows = new Uint32Array(1024); // by node: the row of its common children, 0 = it has none
  #rowCount = 1;
  #children = new Uint32Array(64 * COMMON); // by row and code point, 0 = none
  readonly #others = new Map<number, number>(); // by node and code point

  /** The child of a node, 0 if it has none. */
  child(node: number, codePoint: number): number {
    return codePoint < COMMON
      ? (this.#children[(this.#rows[node] ?? 0) * COMMON + codePoint] ?? 0)
      : (this.#others.get(node * CODE_POINTS + codePoint) ?? 0);
  }

  /** Adds a child to a node that has none for the code point. Nodes are numbered in the order in which they are added. */
  addChild(node: number, codePoint: number): number {
    const child = this.#size;
    this.#size += 1;
    if (this.#rows.length === child) this.#rows = grown(this.#rows, child + 1);
    if (codePoint < COMMON) this.#setCommon(node, codePoint, child);
    else this.#others.set(node * CODE_POINTS + codePoint, child);
    return child;
  }

  #setCommon(node: number, codePoint: number, child: number): void {
    const row = this.#rows[node] || this.#rowCount++;
    this.#rows[node] = row;
    const length = this.#rowCount * COMMON;
    if (length > this.#children.length) this.#children = grown(this.#children, length);
    this.#children[row * COMMON + codePoint] = child;
  }
}
