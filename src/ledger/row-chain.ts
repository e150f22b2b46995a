import { OperatorError } from "../kernel/errors.ts";
import { assertInTime, type OrderState, TimeOrder } from "./rows/stored-rows.ts";
import type { Checkpoint, Checkpoints } from "./tree/checkpoints.ts";
import { Frontier } from "./tree/merkle.ts";

interface Ends {
  readonly after: number | ChainEdge; // the size of a checkpoint, or zero; or where another chain has come to
  readonly upTo: number; // the size of a checkpoint, or zero
}

/** How far a chain has come. */
export interface ChainEdge {
  readonly size: number;
  readonly peaks: Uint8Array; // of the tree (see `Frontier`)
  readonly order: OrderState;
}

/** What the rows of a span prove together: their times, and the roots of the signed checkpoints on the way. Takes rows in order. */
export class RowChain {
  readonly #order: TimeOrder;
  readonly #tree: Frontier;
  readonly #signed: Checkpoint[];
  #proved: number;

  /** Throws OperatorError when no checkpoint has the size `upTo`. */
  constructor(checkpoints: Checkpoints, { after, upTo }: Ends) {
    const edge = typeof after === "number" ? edgeAt(checkpoints, after) : after;
    this.#signed = checkpoints.list().filter(({ size }) => size > edge.size && size <= upTo);
    if (upTo > edge.size && this.#signed.at(-1)?.size !== upTo)
      throw new OperatorError(`there is no signed checkpoint of ${upTo} rows: run \`presence seal\` first`);
    this.#order = new TimeOrder(edge.order);
    this.#tree = Frontier.fromBytes(edge.size, Buffer.from(edge.peaks));
    this.#proved = edge.size;
  }

  edge(): ChainEdge {
    return { size: this.#tree.size, peaks: this.#tree.toBytes(), order: this.#order.state };
  }

  /** Throws OperatorError when the next row is out of time. */
  admit(id: number, kind: string, acceptedAt: number): void {
    assertInTime(this.#order, id, kind, acceptedAt);
  }

  push(leafHash: Buffer): void {
    this.#tree.push(leafHash);
  }

  /** Throws OperatorError naming the rows since the checkpoint before when they do not lead to the signed root. */
  assertRoot(): void {
    const { size } = this.#tree;
    const checkpoint = this.#signed[0];
    if (size !== checkpoint?.size) return;
    if (!this.#tree.root().equals(checkpoint.root))
      throw new OperatorError(
        `row ${this.#proved + 1} to ${size}: one of them is not the row that was signed: the ledger was changed; restore it from your backup`,
      );
    this.#proved = size;
    this.#signed.shift();
  }
}

/** Rows after a checkpoint begin the order of times anew. */
function edgeAt(checkpoints: Checkpoints, size: number): ChainEdge {
  const peaks = checkpoints.at(size)?.frontier;
  const order = { last: 0, erasure: undefined };
  return peaks === undefined ? { size: 0, peaks: Buffer.alloc(0), order } : { size, peaks, order };
}
