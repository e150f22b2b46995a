import { expect, test } from "vitest";
import { packed, unpacked } from "./thread-messages.ts";

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
