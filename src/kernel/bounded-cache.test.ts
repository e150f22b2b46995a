import { expect, test } from "vitest";
import { BoundedCache } from "./bounded-cache.ts";

test("keeps what is used, forgets what is not, and never holds more than twice its limit", () => {
  const cache = new BoundedCache<number, number>(10);
  for (let key = 0; key < 1000; key++) {
    cache.set(key, key);
    expect(cache.get(0)).toBe(0);
  }
  const held = Array.from({ length: 1000 }, (_, key) => cache.get(key)).filter(
    (value) => value !== undefined,
  );
  expect(held.length).toBeLessThanOrEqual(20);
  expect(cache.get(999)).toBe(999);
});

test("with weights it holds at most twice its limit, and nothing that is heavier than that", () => {
  const cache = new BoundedCache<number, number>(100, (value) => value);
  const held = () =>
    Array.from({ length: 500 }, (_, key) => key)
      .filter((key) => cache.get(key) !== undefined)
      .map((key) => 1 + (key % 30));
  for (let key = 0; key < 500; key++) cache.set(key, 1 + (key % 30));
  expect(held().reduce((sum, weight) => sum + weight, 0)).toBeLessThanOrEqual(200);
  expect(cache.get(499)).toBe(1 + (499 % 30));
  expect([cache.set(1000, 101), cache.get(1000)]).toEqual([101, undefined]);
  for (let again = 0; again < 50; again++) cache.set(499, 1 + (499 % 30));
  expect(cache.get(498)).toBe(1 + (498 % 30));
});

test("takes a value once, null and false too", () => {
  const cache = new BoundedCache<string, null | false>(10);
  let made = 0;
  const make = (value: null | false) => () => {
    made += 1;
    return value;
  };
  expect([cache.take("a", make(null)), cache.take("a", make(false)), cache.take("b", make(false))]).toEqual([
    null,
    null,
    false,
  ]);
  expect(made).toBe(2);
});
