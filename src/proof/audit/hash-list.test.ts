import fc from "fast-check";
import { expect, test } from "vitest";
import { rootOf, sha256 } from "../../../tests/support/ledger/small-tree.ts";
import { HashList } from "./hash-list.ts";

const BLOCK = 8192;
const hashOf = (number: number) => sha256(Buffer.from(String(number)));

type Step = { readonly push: number } | { readonly drop: number };
const amount = fc.oneof(fc.nat(20), fc.constantFrom(BLOCK - 1, BLOCK, BLOCK + 1));
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(fc.record({ push: amount }), fc.record({ drop: amount })),
  { maxLength: 8 },
);

test("it holds what a plain array would", () => {
  fc.assert(
    fc.property(steps, fc.array(fc.nat(3 * BLOCK), { maxLength: 6 }), (taken, looks) => {
      const [list, plain] = [new HashList(), Array.of<Buffer>()];
      let next = 0;
      for (const step of taken) {
        if ("push" in step)
          for (let at = 0; at < step.push; at += 1, next += 1) {
            list.push(hashOf(next));
            plain.push(hashOf(next));
          }
        else {
          list.dropFirst(step.drop);
          plain.splice(0, step.drop);
        }
      }
      expect(list.length).toBe(plain.length);
      for (const at of [0, plain.length - 1, plain.length, ...looks]) expect(list.at(at)).toEqual(plain[at]);
      for (const count of [0, 1, 5, 300]) expect(list.root(count)).toEqual(rootOf(plain.slice(0, count)));
    }),
    { numRuns: 40, seed: 3 },
  );
});

test("what is not there is undefined, and drops nothing", () => {
  const list = new HashList();
  list.push(hashOf(1));
  list.dropFirst(-1);
  expect([list.length, list.at(-1), list.at(1), list.at(Number.NaN)]).toEqual([
    1,
    undefined,
    undefined,
    undefined,
  ]);
  list.dropFirst(2);
  expect([list.length, list.at(0)]).toEqual([0, undefined]);
  list.push(hashOf(2));
  expect(list.at(0)).toEqual(hashOf(2));
});

test("a root over more than there are is that over all", () => {
  const list = new HashList();
  for (const at of [1, 2, 3]) list.push(hashOf(at));
  expect(list.root(1e15)).toEqual(rootOf([1, 2, 3].map(hashOf)));
});
