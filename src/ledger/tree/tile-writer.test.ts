import { describe, expect, test } from "vitest";
import { rootOf, tilesOfTree } from "../../../tests/support/ledger/small-tree.ts";
import { leafHash } from "../../kernel/merkle-hash.ts";
import { joinEntries } from "../../proof/tlog/leaf.ts";
import { entriesPath } from "../../proof/tlog/tile.ts";
import { hashesOfTile, rootOfTile, TileEdge, TileWriter } from "./tile-writer.ts";

describe("tile writer", () => {
  const SIZES = [0, 1, 2, 255, 256, 257, 511, 512, 65_535, 65_536, 65_537, 66_000, 70_000];
  const entries = Array.from({ length: 70_000 }, (_, index) => Buffer.from(`entry ${index}`));
  const leaves = entries.map((entry) => leafHash(entry));

  test.each(SIZES)(
    "the files of %i leaves are those of the specification, and the root is that of RFC 6962",
    (size) => {
      const files = new Map<string, Buffer>();
      const writer = grow(new TileWriter(into(files)), size);
      writer.writePartial();
      const expected = tilesOfTree(leaves.slice(0, size));
      for (let first = 0; first < size; first += 256) {
        const bundle = entries.slice(first, Math.min(first + 256, size));
        expected.set(entriesPath(first / 256, bundle.length), Buffer.from(joinEntries(bundle)));
      }
      expect([...files.keys()].sort()).toEqual([...expected.keys()].sort());
      for (const [path, bytes] of expected) expect(files.get(path)?.equals(bytes), path).toBe(true);
      expect(writer.root()).toEqual(rootOf(leaves.slice(0, size)));
    },
  );

  test("files of every size on the way are kept, and no path is ever written twice", () => {
    const files = new Map<string, Buffer>();
    const writer = new TileWriter(into(files));
    for (const size of [1, 3, 256, 300, 512, 700]) {
      grow(writer, size);
      writer.writePartial();
      for (const [path, bytes] of tilesOfTree(leaves.slice(0, size)))
        expect(files.get(path)?.equals(bytes), `${size}: ${path}`).toBe(true);
    }
  });

  test.each([256, 512, 65_536, 66_048])(
    "a tree continued at %i leaves from its partial tiles goes on as if in one piece",
    (from) => {
      const whole = new Map<string, Buffer>();
      grow(new TileWriter(into(whole)), 70_000).writePartial();
      const before = tilesOfTree(leaves.slice(0, from));
      const edge = [1, 2].map((level) => {
        const partial = [...before].find(
          ([path]) => path.startsWith(`tile/${level}/`) && path.includes(".p/"),
        );
        return partial?.[1] ?? Buffer.alloc(0);
      });
      const rest = new Map<string, Buffer>();
      const writer = grow(new TileWriter(into(rest), from, edge), 70_000);
      writer.writePartial();
      expect(writer.root()).toEqual(rootOf(leaves));
      for (const [path, bytes] of rest) expect(whole.get(path)?.equals(bytes), path).toBe(true);
    },
  );

  test("a wrong edge leads to another root, and one in the middle of a bundle is refused", () => {
    const writer = new TileWriter(() => undefined, 256, [Buffer.alloc(32)]);
    expect(writer.root()).not.toEqual(rootOf(leaves.slice(0, 256)));
    expect(() => new TileWriter(() => undefined, 255)).toThrow(RangeError);
    expect(() => new TileWriter(() => undefined, 256, [Buffer.alloc(31)])).toThrow(RangeError);
  });

  function into(files: Map<string, Buffer>) {
    return (path: string, bytes: Uint8Array) => {
      expect(files.has(path), path).toBe(false);
      files.set(path, Buffer.from(bytes));
    };
  }

  function grow(writer: TileWriter, size: number): TileWriter {
    for (let index = writer.size; index < size; index += 1)
      writer.push(entries[index] ?? Buffer.alloc(0), leaves[index] ?? Buffer.alloc(0));
    return writer;
  }
});

describe("tile edge", () => {
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
});
