import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  leafHash,
  nodeHash,
  numberedLeaves,
  readFrom,
  rootOf,
  tilesOfTree,
} from "../../../tests/support/ledger/small-tree.ts";
import { isTrial } from "../../../tests/support/trial.ts";
import { equalBytes, FormatError } from "./bytes.ts";
import {
  disclosuresPath,
  entriesPath,
  isConsistent,
  levelCount,
  rootOfInclusion,
  tilePath,
  tilesOfLevel,
} from "./proof.ts";
import { TileTree } from "./tile-tree.ts";

describe("tile", () => {
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
});

describe("proof", () => {
  const MANY = 100;
  const ALL = Array.from({ length: MANY }, (_, at) => at + 1);
  /** Sizes of trees: small ones, and those around full ones. `npm run trial` tries all. */
  const SIZES = isTrial ? ALL : ALL.filter((size) => size <= 20 || [31, 32, 33, 64, 65, MANY].includes(size));
  const leaves = numberedLeaves(MANY);
  const roots = Array.from({ length: MANY + 1 }, (_, size) => rootOf(leaves.slice(0, size)));

  // The eight entries of the test trees of Certificate Transparency, and their roots (RFC 6962 gives the hashing).
  const CLASSIC = [
    "",
    "00",
    "10",
    "2021",
    "3031",
    "40414243",
    "5051525354555657",
    "606162636465666768696a6b6c6d6e6f",
  ];
  const CLASSIC_ROOTS = [
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

  test("known roots of 0 to 8 leaves", async () => {
    const known = CLASSIC.map((entry) => leafHash(Buffer.from(entry, "hex")));
    for (const [size, start] of CLASSIC_ROOTS.entries()) {
      const own = rootOf(known.slice(0, size));
      expect(own.toString("hex", 0, 4)).toBe(start);
      if (size > 0) expect(Buffer.from(await treeOf(known.slice(0, size)).root())).toEqual(own);
    }
  });

  test("every inclusion up to 100 leaves leads to the root, and with any bit flipped to another", async () => {
    for (const size of SIZES) {
      const tree = treeOf(leaves.slice(0, size));
      for (let index = 0; index < size; index += 1) {
        const path = await tree.inclusionPath(index);
        const leaf = leaves[index] ?? Buffer.alloc(0);
        const claim = { index, size, leafHash: leaf, path };
        expect(equalBytes(await rootOfInclusion(claim, nodeHash), roots[size] ?? leaf)).toBe(true);
        for (const at of path.keys()) {
          const wrong = path.map((hash, other) => (other === at ? flipped(hash, index + at) : hash));
          const root = await rootOfInclusion({ ...claim, path: wrong }, nodeHash);
          expect(equalBytes(root, roots[size] ?? leaf)).toBe(false);
        }
      }
    }
  });

  test("every pair of sizes up to 100 is consistent, and with any bit flipped is not", async () => {
    for (const later of SIZES) {
      const tree = treeOf(leaves.slice(0, later));
      for (let earlier = 1; earlier <= later; earlier += 1) {
        const path = await tree.consistencyPath(earlier);
        const claim = { earlier: head(earlier), later: head(later), path };
        expect(await isConsistent(claim, nodeHash)).toBe(true);
        for (const at of path.keys()) {
          const wrong = path.map((hash, other) => (other === at ? flipped(hash, earlier + at) : hash));
          expect(await isConsistent({ ...claim, path: wrong }, nodeHash)).toBe(false);
        }
        const other = { size: earlier, root: flipped(head(earlier).root, later) };
        expect(await isConsistent({ ...claim, earlier: other }, nodeHash)).toBe(false);
      }
    }
  });

  test("wrong index, another size, a missing hash and one too many are refused", async () => {
    const path = await treeOf(leaves.slice(0, 7)).inclusionPath(3);
    const leaf = leaves[3] ?? Buffer.alloc(0);
    const root = (index: number, size: number, hashes: readonly Uint8Array[]) =>
      rootOfInclusion({ index, size, leafHash: leaf, path: hashes }, nodeHash);
    expect(equalBytes(await root(2, 7, path), head(7).root)).toBe(false);
    await expect(root(3, 7, path.slice(1))).rejects.toThrow(FormatError);
    await expect(root(3, 7, [...path, leaf])).rejects.toThrow(FormatError);
    await expect(root(3, 9, path)).rejects.toThrow(FormatError);
    await expect(root(7, 7, path)).rejects.toThrow(FormatError);
    await expect(root(3, 7, [Buffer.alloc(31), ...path.slice(1)])).rejects.toThrow(FormatError);
  });

  test.each([1, 2, 255, 256, 257, 511, 512, 65_535, 65_536, 65_537, 66_000, 70_000])(
    "a tree of %i leaves: root, proofs and consistency from its tiles alone",
    async (size) => {
      const many = numberedLeaves(size);
      const tree = treeOf(many);
      const root = rootOf(many);
      expect(Buffer.from(await tree.root())).toEqual(root);
      for (const index of new Set([0, Math.floor(size / 2), size - 1])) {
        const claim = { index, size, leafHash: many[index] ?? root, path: await tree.inclusionPath(index) };
        expect(Buffer.from(await rootOfInclusion(claim, nodeHash))).toEqual(root);
        expect(Buffer.from(await tree.leafHash(index))).toEqual(many[index]);
      }
      for (const earlier of new Set([1, Math.ceil(size / 3), Math.max(1, size - 1)])) {
        const claim = {
          earlier: { size: earlier, root: rootOf(many.slice(0, earlier)) },
          later: { size, root },
          path: await tree.consistencyPath(earlier),
        };
        expect(await isConsistent(claim, nodeHash)).toBe(true);
      }
    },
  );

  test("a partial tile that is gone is read from the full one; a missing or short one is named", async () => {
    const files = tilesOfTree(leaves.slice(0, 10));
    const partial = files.get("tile/0/000.p/10") ?? Buffer.alloc(0);
    const full = new Map([["tile/0/000", Buffer.concat([partial, Buffer.alloc(246 * 32)])]]);
    expect(Buffer.from(await new TileTree(10, readFrom(full), nodeHash).root())).toEqual(roots[10]);
    await expect(new TileTree(10, readFrom(new Map()), nodeHash).root()).rejects.toThrow("tile/0/000.p/10");
    const short = new Map([["tile/0/000.p/10", partial.subarray(1)]]);
    await expect(new TileTree(10, readFrom(short), nodeHash).root()).rejects.toThrow("too short");
  });

  function treeOf(of: readonly Uint8Array[]): TileTree {
    return new TileTree(of.length, readFrom(tilesOfTree(of)), nodeHash);
  }

  function head(size: number) {
    return { size, root: roots[size] ?? Buffer.alloc(0) };
  }

  function flipped(hash: Uint8Array, seed: number): Buffer {
    const copy = Buffer.from(hash);
    const at = seed % copy.length;
    copy[at] = (copy[at] ?? 0) ^ (1 << (seed % 8));
    return copy;
  }
});
