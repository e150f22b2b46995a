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
