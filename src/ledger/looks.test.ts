import fc from "fast-check";
import { expect, test } from "vitest";
import { bitmapCells, cellBitmap } from "./looks.ts";

const LIST = Array.from({ length: 11 }, (_, index) => `cell ${String(index).padStart(2, "0")}`);

test("bit n is cell n, the highest bit of a byte first", () => {
  const bitmap = cellBitmap(LIST, new Set(["cell 00", "cell 07", "cell 08", "elsewhere"]));
  expect(Buffer.from(bitmap ?? "", "base64url")).toEqual(Buffer.from([0b1000_0001, 0b1000_0000]));
});

test("no cell of the list gives no bitmap", () => {
  expect(cellBitmap(LIST, new Set(["elsewhere"]))).toBeUndefined();
  expect(cellBitmap([], new Set(["cell 00"]))).toBeUndefined();
});

test("what is written is read again", () => {
  fc.assert(
    fc.property(fc.subarray(LIST, { minLength: 1 }), fc.integer({ min: 11, max: 40 }), (looked, size) => {
      const list = [...LIST, ...Array.from({ length: size - 11 }, (_, at) => `more ${at + 10}`)];
      expect(bitmapCells(list, cellBitmap(list, new Set(looked)) ?? "")).toEqual(looked);
    }),
  );
});

test("bitmaps of another list are refused", () => {
  const bitmap = cellBitmap(LIST, new Set(LIST)) ?? "";
  expect(() => bitmapCells(LIST.slice(0, 8), bitmap)).toThrow("2 bytes for 8 cells");
  expect(() => bitmapCells(LIST.slice(0, 10), bitmap)).toThrow("bits beyond");
});
