import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BLOCK_SIZE, decodeBlock, encodeBlock, hasOffset, intersectBlock } from "./offset-block.ts";

const scattered = fc
  .uniqueArray(fc.nat(BLOCK_SIZE - 1), { maxLength: 200 })
  .map((offsets) => offsets.toSorted((a, b) => a - b));
const stepped = fc
  .record({ start: fc.nat(20), step: fc.integer({ min: 1, max: 40 }) })
  .map(({ start, step }) =>
    Array.from({ length: Math.floor((BLOCK_SIZE - start) / step) }, (_, index) => start + index * step),
  );
const offsets = fc.oneof(scattered, stepped); // about as many lists as bitmaps

describe("offset blocks", () => {
  test("a sparse set is a little-endian list", () => {
    expect([...encodeBlock([0, 258, 65_535])]).toEqual([0, 0, 2, 1, 255, 255]);
  });

  test("from 4,096 offsets on, a set is a bitmap of 8 kB", () => {
    const first = (length: number) => encodeBlock(Array.from({ length }, (_, index) => index));
    expect(first(4095).length).toBe(8190);
    expect(first(4096).length).toBe(8192);
    expect([...first(4097).subarray(510, 515)]).toEqual([255, 255, 1, 0, 0]);
  });

  test("what is encoded can be decoded", () => {
    fc.assert(
      fc.property(offsets, (set) => {
        expect([...decodeBlock(encodeBlock(set))]).toEqual(set);
      }),
      { seed: 1 },
    );
  });

  test("an offset is in a set or it is not", () => {
    fc.assert(
      fc.property(offsets, fc.nat(BLOCK_SIZE - 1), (set, offset) => {
        const block = encodeBlock(set);
        expect(hasOffset(block, offset)).toBe(set.includes(offset));
        for (const member of [set.at(0), set.at(-1)])
          if (member !== undefined) expect(hasOffset(block, member)).toBe(true);
      }),
      { seed: 1 },
    );
  });

  test("intersection is that of sets", () => {
    fc.assert(
      fc.property(offsets, offsets, (one, other) => {
        const members = new Set(other);
        const common = intersectBlock(Uint16Array.from(one), encodeBlock(other));
        expect([...common]).toEqual(one.filter((offset) => members.has(offset)));
      }),
      { seed: 1 },
    );
  });
});
