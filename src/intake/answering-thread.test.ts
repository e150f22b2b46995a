import { expect, test } from "vitest";
import { AnsweringThread, packed, unpacked } from "./answering-thread.ts";

test("what is unpacked is what was packed, in order and with its texts", () => {
  const items = Array.from({ length: 1000 }, (_, at) => ({ at, name: `line\n${at} "é" \u2028` }));
  const pairs = items.map((item) => [item, JSON.stringify({ name: item.name })] as const);
  const pieces = packed(pairs);
  expect(pieces.length).toBeGreaterThan(1);
  expect([...unpacked(pieces)]).toEqual(pairs);
});

test("nothing is packed as nothing", () => {
  expect(packed([])).toEqual([]);
  expect([...unpacked([])]).toEqual([]);
});

test.each([
  ["that throws", "throw new Error('no room')", "no room"],
  ["that ends", "", "a thread of intake ended early"],
])("a thread %s fails the request", async (_, script, message) => {
  await using thread = new AnsweringThread<number, number>(new URL(`data:text/javascript,${script}`), {});
  await expect(thread.answers((index) => index).next()).rejects.toThrow(message);
});
