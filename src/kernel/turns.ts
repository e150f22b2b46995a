import { setImmediate as nextTurn } from "node:timers/promises";

const WORK_MS = 5;

/** Splits long work: whoever calls `next` between its steps lets other work of the thread run every few milliseconds. */
export class Turns {
  #since = performance.now();

  async next(): Promise<void> {
    if (performance.now() - this.#since < WORK_MS) return;
    await nextTurn();
    this.#since = performance.now();
  }
}
