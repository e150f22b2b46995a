import Database from "better-sqlite3";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { numberedLeaves, rootOf, tilesOfTree } from "../../../tests/support/ledger/small-tree.ts";
import { EMPTY_ROOT, leafHash, nodeHash } from "../../kernel/hash.ts";
import { joinEntries } from "../../proof/tlog/leaf.ts";
import { entriesPath } from "../../proof/tlog/proof.ts";
import { Frontier, hashesOfTile, inclusionPath, rootOfTile, TileEdge, TileWriter } from "./merkle.ts";

function pushTiles(edge: TileEdge, leaves: readonly Buffer[]): void {
  for (let first = 0; first < leaves.length; first += 256) {
    const tile = Buffer.concat(leaves.slice(first, first + 256));
    if (tile.length === 256 * 32) edge.pushTile(tile, rootOfTile(tile));
    else for (const hash of hashesOfTile(tile)) edge.push(hash);
  }
}

describe("merkle", () => {
  describe("merkle", () => {
    // The leaves of the Certificate Transparency reference implementation and the roots it publishes.
    const LEAVES = [
      "",
      "00",
      "10",
      "2021",
      "3031",
      "40414243",
      "5051525354555657",
      "606162636465666768696a6b6c6d6e6f",
    ];
    const ROOTS = [
      "e3b0c442",
      "6e340b9c",
      "fac54203",
      "aeb6bcfe",
      "d37ee418",
      "4e3bbb1f",
      "76e67dad",
      "ddb89be4",
      "5dc9da79",
    ];

    /** RFC 6962, 2.1, word by word. */
    function naiveRoot(leaves: readonly Buffer[]): Buffer {
      const [first] = leaves;
      if (first === undefined) return EMPTY_ROOT;
      if (leaves.length === 1) return first;
      let split = 1;
      while (split * 2 < leaves.length) split *= 2;
      return nodeHash(naiveRoot(leaves.slice(0, split)), naiveRoot(leaves.slice(split)));
    }

    function numberedLeaves(count: number): Buffer[] {
      return Array.from({ length: count }, (_, index) => leafHash(`leaf ${index}`));
    }

    function pushAll(frontier: Frontier, leaves: readonly Buffer[]): Frontier {
      for (const leaf of leaves) frontier.push(leaf);
      return frontier;
    }

    test("roots of 0 to 8 known leaves", () => {
      const frontier = new Frontier();
      const roots = [frontier.root()];
      for (const leaf of LEAVES) {
        frontier.push(leafHash(Buffer.from(leaf, "hex")));
        roots.push(frontier.root());
      }
      expect(roots.map((root) => root.toString("hex", 0, 4))).toEqual(ROOTS);
    });

    test("leaf and node prefixes", () => {
      expect(leafHash("L123456").toString("hex", 0, 4)).toBe("395aa064");
      expect(nodeHash(Buffer.from("N123"), Buffer.from("N456")).toString("hex", 0, 4)).toBe("aa217fe8");
      expect(leafHash(Buffer.from("L123456"))).toEqual(leafHash("L123456"));
    });

    describe("frontier", () => {
      test("gives the root of the definition at every size up to 300", () => {
        const leaves = numberedLeaves(300);
        const frontier = new Frontier();
        for (const [index, leaf] of leaves.entries()) {
          frontier.push(leaf);
          expect(frontier.root().equals(naiveRoot(leaves.slice(0, index + 1)))).toBe(true);
        }
      });

      test("goes on from its bytes as if it had never stopped", () => {
        const leaves = numberedLeaves(600);
        fc.assert(
          fc.property(fc.nat(300), fc.nat(300), (before, after) => {
            const early = pushAll(new Frontier(), leaves.slice(0, before));
            const resumed = Frontier.fromBytes(before, early.toBytes());
            pushAll(resumed, leaves.slice(before, before + after));
            expect(resumed.size).toBe(before + after);
            expect(resumed.root()).toEqual(naiveRoot(leaves.slice(0, before + after)));
          }),
        );
      });

      test("refuses bytes of a tree of another size", () => {
        const bytes = pushAll(new Frontier(), numberedLeaves(5)).toBytes();
        expect(() => Frontier.fromBytes(4, bytes)).toThrow(RangeError);
        expect(() => Frontier.fromBytes(5, bytes.subarray(1))).toThrow(RangeError);
      });
    });
  });

  describe("inclusion", () => {
    const LEAVES = numberedLeaves(70_000);

    /** Nothing but the leaf hashes: rows 1 to 70,000. */
    const database = new Database(":memory:");
    database.exec("CREATE TABLE rows (id INTEGER PRIMARY KEY, leaf_hash BLOB NOT NULL)");
    const insert = database.prepare("INSERT INTO rows VALUES (?, ?)");
    database.transaction(() => {
      for (const [index, leaf] of LEAVES.entries()) insert.run(index + 1, leaf);
    })();

    afterAll(() => {
      database.close();
    });

    /** PATH(m, D) as RFC 6962, 2.1.1 defines it. */
    function pathByDefinition(index: number, leaves: readonly Buffer[]): Buffer[] {
      if (leaves.length < 2) return [];
      let split = 1;
      while (split < leaves.length / 2) split *= 2;
      const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
      if (index < split) return [...pathByDefinition(index, left), rootOf(right)];
      return [...pathByDefinition(index - split, right), rootOf(left)];
    }

    function expectPath(row: number, size: number): void {
      expect(inclusionPath(database, row, size)).toEqual(pathByDefinition(row - 1, LEAVES.slice(0, size)));
    }

    test("ends and middle of each tree of up to 300", () => {
      for (let size = 1; size <= 300; size += 1)
        for (const row of new Set([1, Math.ceil(size / 2), size])) expectPath(row, size);
    });

    test("any row of a tree of up to 300", () => {
      const rowAndSize = fc
        .integer({ min: 1, max: 300 })
        .chain((size) => fc.tuple(fc.integer({ min: 1, max: size }), fc.constant(size)));
      fc.assert(fc.property(rowAndSize, ([row, size]) => expectPath(row, size)));
    });

    test.each([1999, 2000, 2001, 4096, 4097, 65_535, 65_536, 65_537, 70_000])("a tree of %i", (size) => {
      for (const row of [1, 2, 2000, 65_536, size].filter((each) => each <= size)) expectPath(row, size);
    });

    test("only rows of the tree have a path", () => {
      for (const row of [0, -1, 9, 1.5]) expect(() => inclusionPath(database, row, 8)).toThrow(/has no leaf/);
    });

    test("a missing row is named", () => {
      const gappy = new Database(":memory:");
      gappy.exec("CREATE TABLE rows (id INTEGER PRIMARY KEY, leaf_hash BLOB NOT NULL)");
      for (const row of [1, 2, 3, 4, 6, 7, 8])
        gappy.prepare("INSERT INTO rows VALUES (?, zeroblob(32))").run(row);
      expect(() => inclusionPath(gappy, 1, 8)).toThrow(
        "row 5: a row of the 4 from here is missing: the ledger was changed; restore it from your backup",
      );
      gappy.close();
    });
  });
});

describe("tile writer", () => {
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

    test.each([256, 300, 512, 65_536, 66_000])(
      "full tiles at once lead %i leaves to the same tree",
      (size) => {
        const files = new Map<string, Buffer>();
        const edge = new TileEdge((path, bytes) => files.set(path, Buffer.from(bytes)));
        pushTiles(edge, leaves.slice(0, size));
        edge.writePartial();
        const expected = tilesOfTree(leaves.slice(0, size));
        expect([...files.keys()].sort()).toEqual([...expected.keys()].sort());
        for (const [path, bytes] of expected) expect(files.get(path)?.equals(bytes), path).toBe(true);
        expect(edge.root()).toEqual(rootOf(leaves.slice(0, size)));
      },
    );

    test("a tile in the middle of another, and one that is cut short, are refused", () => {
      const edge = new TileEdge(() => undefined);
      edge.push(Buffer.alloc(32));
      expect(() => edge.pushTile(Buffer.alloc(256 * 32), Buffer.alloc(32))).toThrow(RangeError);
      expect(() => hashesOfTile(Buffer.alloc(33))).toThrow(RangeError);
    });
  });
});
