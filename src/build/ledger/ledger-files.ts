import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../../kernel/errors.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import type { Checkpoint } from "../../ledger/tree/checkpoints.ts";
import { TileWriter } from "../../ledger/tree/merkle.ts";
import {
  bundleOf,
  disclosuresPath,
  HASH_BYTES,
  hashesOfLevel,
  levelCount,
  TILE_WIDTH,
  tilePath,
} from "../../proof/tlog/proof.ts";
import { type LedgerPublication, writeLedgerDocuments } from "./ledger-documents.ts";

/** Where the published files begin to differ from those of the previous release. */
interface Continuation {
  readonly size: number; // of the previous tree; 0: no file can be linked
  readonly sealed: number; // rows up to here were disclosed
}

const FROM_NOTHING: Continuation = { size: 0, sealed: 0 };
const PROGRESS_BUNDLES = 100;
const UNCHANGING = /^ledger\/(tile|checkpoints)\//;

/**
 * Writes everything below `ledger/`, the checkpoint last. Tiles never change, so those of the previous release are linked and only the right edge is
 * written: the cost of a night is that of its own rows, plus a link for each file.
 */
export function writeLedgerFiles(
  publication: LedgerPublication,
  progress: (rows: number, total: number) => void,
): void {
  const { reader, treeSize } = publication;
  const heads = reader.checkpoints().filter(({ size }) => size <= treeSize);
  const sealed = reader.lastSealedRow(treeSize);
  const before = writeTiles(publication, heads);
  writeDisclosures(publication, before, sealed, progress);
  writeLedgerDocuments(publication, heads, sealed);
}

/** Writes the trees of all signed sizes, whose checkpoints are `heads`, the smallest first. Returns the part linked from the previous release. */
export function writeTiles(publication: LedgerPublication, heads: readonly Checkpoint[]): Continuation {
  const { reader, treeSize } = publication;
  const { writer, before } = treeToContinue(publication);
  if (before.size > 0) keepTree(publication);
  const signed = heads.filter(({ size }) => size > before.size);
  for (const { id, entry, leafHash } of reader.leaves(writer.size, treeSize)) {
    writer.push(entry, leafHash);
    if (id === signed[0]?.size) finishSize(writer, signed.shift());
  }
  return before;
}

function disclosureLine({ id, disclosure }: { id: number; disclosure: string | undefined }): string {
  return disclosure === undefined ? "" : `{"i":${id},"d":"${disclosure}"}\n`;
}

/** Writes the partial tiles of a signed size, and checks its root against the signed one. */
function finishSize(
  writer: TileWriter,
  signed: { readonly size: number; readonly root: Buffer } | undefined,
): void {
  writer.writePartial();
  if (signed !== undefined && !writer.root().equals(signed.root))
    throw new OperatorError(
      `checkpoint ${signed.size}: the rows do not lead to its root: the ledger was changed; restore it from your backup`,
    );
}

/** The tree of the previous release, if it belongs to this ledger and its right edge gives the signed root; otherwise its files are not used. */
function treeToContinue(publication: LedgerPublication): { writer: TileWriter; before: Continuation } {
  const { effects, reader } = publication;
  const write = (path: string, bytes: Uint8Array) => effects.write(`ledger/${path}`, bytes);
  const before = continuation(publication);
  const edge = before.size === 0 ? undefined : edgeTiles(publication, before.size);
  if (edge !== undefined) {
    const start = bundleOf(before.size + 1) * TILE_WIDTH;
    const writer = new TileWriter(write, start, edge);
    for (const { entry, leafHash } of reader.leaves(start, before.size)) writer.push(entry, leafHash);
    if (reader.checkpointAt(before.size)?.root.equals(writer.root())) return { writer, before };
  }
  if (before.size > 0) effects.distrustEarlier();
  return { writer: new TileWriter(write), before: FROM_NOTHING };
}

function continuation({ reader, earlier, treeSize }: LedgerPublication): Continuation {
  if (earlier === undefined) return FROM_NOTHING;
  const { tree_size: size, last_sealed_row: sealed } = earlier.inputs;
  const checkpoint = size <= treeSize ? reader.checkpointAt(size) : undefined;
  if (checkpoint === undefined) return FROM_NOTHING;
  const published = earlier.hashes.get(`ledger/checkpoints/${size}`);
  return published === sha256Hex(checkpoint.note) ? { size, sealed } : FROM_NOTHING;
}

/** The partial tiles above level 0 of the previous release, checked against the signed root; undefined if one is missing or has another length. */
function edgeTiles({ earlier }: LedgerPublication, size: number): Buffer[] | undefined {
  const tiles: Buffer[] = [];
  for (let level = 1; level < levelCount(size); level += 1) {
    const hashes = hashesOfLevel(level, size);
    const width = hashes % TILE_WIDTH;
    const path = tilePath({ level, index: Math.floor(hashes / TILE_WIDTH), width });
    const file = join(earlier?.site ?? "", "ledger", path);
    const tile = width === 0 ? Buffer.alloc(0) : existsSync(file) ? readFileSync(file) : undefined;
    if (tile?.length !== width * HASH_BYTES) return undefined;
    tiles.push(tile);
  }
  return tiles;
}

function keepTree({ earlier, effects }: LedgerPublication): void {
  for (const path of earlier?.hashes.keys() ?? []) if (UNCHANGING.test(path)) effects.keep(path);
}

/** Links the disclosures of complete, unchanged bundles, and writes the others. */
function writeDisclosures(
  { reader, effects, treeSize }: LedgerPublication,
  before: Continuation,
  sealed: number,
  progress: (rows: number, total: number) => void,
): void {
  const touched = new Set(reader.rowsRedactedAfter(before.size).map(bundleOf));
  for (let bundle = 0; bundle * TILE_WIDTH < treeSize; bundle += 1) {
    const path = `ledger/${disclosuresPath(bundle)}`;
    const after = bundle * TILE_WIDTH;
    if (after + TILE_WIDTH <= before.sealed && !touched.has(bundle) && effects.keep(path)) continue;
    const rows = reader.publicRows({ after, upTo: Math.min(after + TILE_WIDTH, treeSize), sealed });
    effects.write(path, Array.from(rows, disclosureLine).join(""));
    if (bundle % PROGRESS_BUNDLES === 0) progress(after, treeSize);
  }
}
