import { setImmediate as nextTurn } from "node:timers/promises";

/** Hands on what comes in any order, each item with its number from 0 on, in the order of the numbers. Owns what came too early. */
export class InOrder<T> {
  readonly #handOn: (item: T) => void;
  readonly #early = new Map<number, { readonly item: T }>();
  #next = 0;

  constructor(handOn: (item: T) => void) {
    this.#handOn = handOn;
  }

  /** Hands on the item, and those that waited for it, unless an earlier one is missing. */
  take(number: number, item: T): void {
    this.#early.set(number, { item });
    for (let next = this.#early.get(this.#next); next !== undefined; next = this.#early.get(this.#next)) {
      this.#early.delete(this.#next);
      this.#next += 1;
      this.#handOn(next.item);
    }
  }
}

/** The first item of each list, then the second of each, and so on, with the number of the round; a list may end before others. */
export function* inTurn<T>(lists: readonly Iterable<T>[]): Generator<readonly [round: number, item: T]> {
  let left: Iterator<T>[] = lists.map((list) => list[Symbol.iterator]());
  for (let round = 0; left.length > 0; round += 1) {
    const others: Iterator<T>[] = [];
    for (const items of left) {
      const next = items.next();
      if (next.done === true) continue;
      others.push(items);
      yield [round, next.value];
    }
    left = others;
  }
}

/** Processes items, `limit` at a time. Resolves when all have ended; throws the first error. */
export async function sideBySide<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const workers = Array.from({ length: limit }, async () => {
    for (const item of waiting) await work(item);
  });
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

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
