import { equalBytes, FormatError, toHex } from "../tlog/bytes.ts";
import { type Leaf, parseLeaf, splitEntries } from "../tlog/leaf.ts";
import { bundleOf, bundleWidth, entriesPath, TILE_WIDTH } from "../tlog/tile.ts";
import type { TileTree } from "../tlog/tile-tree.ts";
import { leafHash, type Subtle } from "./hashes.ts";
import { type Fact, type Passed, Stop, shortened } from "./outcome.ts";
import { missing, type SiteReader, utf8 } from "./site-reader.ts";

export interface FoundLeaf {
  readonly leaf: Leaf;
  readonly hash: Uint8Array;
}

/** The row's entry in the published bundles, against the row's number and the tree's tiles of level 0. */
export async function checkLeaf(
  row: number,
  tree: TileTree,
  reader: SiteReader,
  subtle: Subtle,
): Promise<Passed<FoundLeaf>> {
  if (row > tree.size)
    throw new Stop(
      "could not check",
      `The signed tree has ${tree.size} rows, so it does not contain row ${row} yet.`,
    );
  const entry = await readEntry(row - 1, tree.size, reader);
  const [hash, inTile] = [await leafHash(subtle, entry), await tree.leafHash(row - 1)];
  const text = utf8("the entry", entry);
  const facts: Fact[] = [
    { name: "Entry", value: text },
    { name: "Leaf hash, recomputed", value: toHex(hash) },
    { name: "Hash in the tile", value: toHex(inTile) },
  ];
  if (!equalBytes(hash, inTile))
    throw new Stop("failed", "The entry's hash differs from the one in the tile.", facts);
  const leaf = parseLeaf(text);
  if (leaf.row !== row)
    throw new Stop("failed", `The entry at row ${row} belongs to row ${leaf.row}.`, facts);
  return {
    says: `Row ${row} has the kind “${leaf.kind}”, and its leaf hash ${shortened(toHex(hash))} is in the tile.`,
    facts,
    found: { leaf, hash },
  };
}

async function readEntry(index: number, size: number, reader: SiteReader): Promise<Uint8Array> {
  const bundle = bundleOf(index + 1);
  const width = bundleWidth(bundle, size);
  const whole = `/ledger/${entriesPath(bundle, TILE_WIDTH)}`;
  // A log may drop a partial bundle once the full one exists.
  const bytes =
    (await reader.read(`/ledger/${entriesPath(bundle, width)}`)) ??
    (await reader.read(whole)) ??
    missing(whole);
  const entries = splitEntries(bytes);
  const entry = entries[index % TILE_WIDTH];
  if (entry === undefined || entries.length < width)
    throw new FormatError(`The bundle has ${entries.length} entries instead of ${width}`);
  return entry;
}
