import { expect, test } from "vitest";
import { rootOf, tilesOfTree } from "../../../tests/support/ledger/small-tree.ts";
import { leafHash } from "../../kernel/merkle-hash.ts";
import { hashesOfTile, rootOfTile, TileEdge } from "./tile-edge.ts";

const leaves = Array.from({ length: 66_000 }, (_, index) => leafHash(Buffer.from(`entry ${index}`)));

test.each([256, 300, 512, 65_536, 66_000])("full tiles at once lead %i leaves to the same tree", (size) => {
  const files = new Map<string, Buffer>();
  const edge = new TileEdge((path, bytes) => files.set(path, Buffer.from(bytes)));
  for (let first = 0; first < size; first += 256) {
    const tile = Buffer.concat(leaves.slice(first, Math.min(first + 256, size)));
    if (tile.length === 256 * 32) edge.pushTile(tile, rootOfTile(tile));
    else for (const hash of hashesOfTile(tile)) edge.push(hash);
  }
  edge.writePartial();
  const expected = tilesOfTree(leaves.slice(0, size));
  expect([...files.keys()].sort()).toEqual([...expected.keys()].sort());
  for (const [path, bytes] of expected) expect(files.get(path)?.equals(bytes), path).toBe(true);
  expect(edge.root()).toEqual(rootOf(leaves.slice(0, size)));
});

test("a tile in the middle of another, and one that is cut short, are refused", () => {
  const edge = new TileEdge(() => undefined);
  edge.push(Buffer.alloc(32));
  expect(() => edge.pushTile(Buffer.alloc(256 * 32), Buffer.alloc(32))).toThrow(RangeError);
  expect(() => hashesOfTile(Buffer.alloc(33))).toThrow(RangeError);
});
