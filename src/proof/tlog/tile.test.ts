import fc from "fast-check";
import { expect, test } from "vitest";
import { disclosuresPath, entriesPath, levelCount, tilePath, tilesOfLevel } from "./tile.ts";

test("paths group the digits of the index by three, as the specification's example does", () => {
  expect(tilePath({ level: 0, index: 1234067, width: 256 })).toBe("tile/0/x001/x234/067");
  expect(tilePath({ level: 1, index: 0, width: 17 })).toBe("tile/1/000.p/17");
  expect(entriesPath(999, 256)).toBe("tile/entries/999");
  expect(entriesPath(1000, 1)).toBe("tile/entries/x001/000.p/1");
  expect(disclosuresPath(70000)).toBe("disclosures/x070/000.ndjson");
});

test.each([
  [0, []],
  [1, ["tile/0/000.p/1"]],
  [255, ["tile/0/000.p/255"]],
  [256, ["tile/0/000", "tile/1/000.p/1"]],
  [257, ["tile/0/000", "tile/0/001.p/1", "tile/1/000.p/1"]],
  [512, ["tile/0/000", "tile/0/001", "tile/1/000.p/2"]],
])("a tree of %i leaves has the tiles of the specification", (size, paths) => {
  expect(tilesOf(size)).toEqual(paths);
});

test("70,000 leaves: 273 full tiles and a partial one, then 1 and 17, then a partial one of width 1", () => {
  const paths = tilesOf(70_000);
  expect(paths).toHaveLength(273 + 1 + 1 + 1 + 1);
  expect(paths.slice(273)).toEqual(["tile/0/273.p/112", "tile/1/000", "tile/1/001.p/17", "tile/2/000.p/1"]);
});

test("65,536 leaves fill two levels and begin the third", () => {
  expect(tilesOf(65_535).slice(-2)).toEqual(["tile/0/255.p/255", "tile/1/000.p/255"]);
  expect(tilesOf(65_536).slice(-2)).toEqual(["tile/1/000", "tile/2/000.p/1"]);
  expect(tilesOf(65_537).slice(-3)).toEqual(["tile/0/256.p/1", "tile/1/000", "tile/2/000.p/1"]);
});

test("every leaf is in exactly one tile of level 0, no tile is empty, and no path repeats", () => {
  fc.assert(
    fc.property(fc.nat(3_000_000), (size) => {
      const widths = [...tilesOfLevel(0, size)].map(({ width }) => width);
      expect(widths.reduce((sum, width) => sum + width, 0)).toBe(size);
      expect(widths.every((width) => width > 0)).toBe(true);
    }),
    { numRuns: 20 },
  );
});

function tilesOf(size: number): string[] {
  return Array.from({ length: levelCount(size) }, (_, level) =>
    [...tilesOfLevel(level, size)].map(tilePath),
  ).flat();
}
