import { OperatorError } from "../kernel/errors.ts";
import { TimeOrder } from "./rows/row-times.ts";
import { assertInTime } from "./rows/stored-rows.ts";
import type { Checkpoint, Checkpoints } from "./tree/checkpoints.ts";
import { Frontier } from "./tree/merkle.ts";

interface Ends {
  readonly after: number; // the size of a checkpoint, or zero
  readonly upTo: number; // the size of a checkpoint, or zero
}

/** What the rows of a span prove together: their times, and the roots of the signed checkpoints on the way. Takes rows in order. */
export class RowChain {
  readonly #order = new TimeOrder();
  readonly #tree: Frontier;
  readonly #signed: Checkpoint[];
  #proved: number;

  /** Throws OperatorError when no checkpoint has the size `upTo`. */
  constructor(checkpoints: Checkpoints, { after, upTo }: Ends) {
    this.#signed = checkpoints.list().filter(({ size }) => size > after && size <= upTo);
    if (upTo > 0 && this.#signed.at(-1)?.size !== upTo)
      throw new OperatorError(`there is no signed checkpoint of ${upTo} rows: run \`presence seal\` first`);
    const edge = checkpoints.at(after)?.frontier;
    this.#tree = edge === undefined ? new Frontier() : Frontier.fromBytes(after, edge);
    this.#proved = after;
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
