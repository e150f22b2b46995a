import { expect, test } from "vitest";
import { sha256Hex } from "../../kernel/hash.ts";
import { drawRevisit, isDrawOf } from "./draw-revisit.ts";

const SEAL = "a".repeat(64);
const frame = {
  assets: Array.from({ length: 500 }, (_, at) => at + 1),
  cells: Array.from({ length: 90 }, (_, at) => `cell ${at}`),
};
const SIZES = { assets: 40, cells: 12 };
const plan = drawRevisit(frame, SEAL, SIZES);

test("the smallest hashes of seal and row, as anyone can compute them", () => {
  const byHand = frame.assets
    .map((row) => [sha256Hex(`${SEAL}:revisit:asset:${row}`), row] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, 40)
    .map(([, row]) => row)
    .sort((a, b) => a - b);
  expect(plan.assets).toEqual(byHand);
  expect(plan.cells).toHaveLength(12);
  expect(new Set(plan.cells).size).toBe(12);
});

test("neither the order of the frame nor the size of the draw changes a place in it", () => {
  const reversed = { assets: frame.assets.toReversed(), cells: frame.cells.toReversed() };
  expect(drawRevisit(reversed, SEAL, SIZES)).toEqual(plan);
  const more = drawRevisit(frame, SEAL, { assets: 60, cells: 20 });
  expect(more.assets).toEqual(expect.arrayContaining([...plan.assets]));
  expect(more.cells).toEqual(expect.arrayContaining([...plan.cells]));
});

test("another seal draws others; a frame smaller than the draw is drawn whole", () => {
  expect(drawRevisit(frame, "b".repeat(64), SIZES)).not.toEqual(plan);
  expect(drawRevisit(frame, SEAL, { assets: 1000, cells: 1000 })).toEqual({
    assets: frame.assets,
    cells: frame.cells.toSorted(),
  });
});

test("a plan that follows from its seal is told from one that somebody chose", () => {
  expect(isDrawOf(plan, SEAL, frame)).toBe(true);
  const other = frame.assets.find((row) => !plan.assets.includes(row)) ?? 0;
  const swapped = [...plan.assets.slice(1), other].sort((a, b) => a - b);
  expect(isDrawOf({ ...plan, assets: swapped }, SEAL, frame)).toBe(false);
  expect(isDrawOf({ ...plan, cells: [...plan.cells.slice(1), "cell x"] }, SEAL, frame)).toBe(false);
  expect(isDrawOf(plan, "b".repeat(64), frame)).toBe(false);
});

test("what an erasure took out of the frame is passed over", () => {
  const [gone = 0] = plan.assets;
  expect(isDrawOf(plan, SEAL, { ...frame, assets: frame.assets.filter((row) => row !== gone) })).toBe(true);
});
