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
