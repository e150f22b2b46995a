import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InOrder, inTurn } from "./concurrency.ts";

describe("in order", () => {
  const counts = fc.integer({ min: 0, max: 20 });
  const orders = counts.chain((count) => fc.shuffledSubarray([...Array(count).keys()], { minLength: count }));

  test("items are handed on in the order of their numbers, each as soon as all before it are there", () => {
    fc.assert(
      fc.property(orders, (order) => {
        const handedOn: (number | undefined)[] = [];
        const items = new InOrder<number | undefined>((item) => handedOn.push(item));
        for (const [at, number] of order.entries()) {
          items.take(number, number === 0 ? undefined : number);
          const taken = new Set(order.slice(0, at + 1));
          const missing = order.findIndex((_, each) => !taken.has(each));
          expect(handedOn).toHaveLength(missing < 0 ? order.length : missing);
        }
        expect(handedOn).toEqual([...order.keys()].map((number) => (number === 0 ? undefined : number)));
      }),
    );
  });
});

describe("in turn", () => {
  test("one item of each list in turn, until the last of them ends", () => {
    expect([...inTurn([["a", "b"], [], ["x", "y", "z"]])]).toEqual([
      [0, "a"],
      [0, "x"],
      [1, "b"],
      [1, "y"],
      [2, "z"],
    ]);
    expect([...inTurn([])]).toEqual([]);
  });
});
