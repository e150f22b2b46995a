import { sha256Hex } from "../../kernel/hash.ts";
import { FormatError } from "../tlog/bytes.ts";
import { disclosureOfRow, entryOfRow } from "../tlog/leaf.ts";
import { bundleOf, bundleWidth, disclosuresPath, entriesPath } from "../tlog/tile.ts";
import type { PublicFiles } from "./public-files.ts";
import type { SignedRelease } from "./release-manifest.ts";

/** Says where a release publishes this leaf for its row. Throws FormatError where it does not. */
export async function publishedLeaf(
  files: PublicFiles,
  release: SignedRelease,
  { row, leaf }: { readonly row: number; readonly leaf: string },
): Promise<string> {
  const { size } = release.head;
  if (row > size) throw new FormatError(`the release has ${size} rows, so row ${row} is not published yet`);
  const bundle = bundleOf(row);
  const path = `ledger/${entriesPath(bundle, bundleWidth(bundle, size))}`;
  if (!Buffer.from(leaf).equals(entryOfRow(row, await readListed(files, release, path), size)))
    throw new FormatError(`${path}: another leaf is published for row ${row}`);
  return `${path} holds the same leaf`;
}

/** Says where a release keeps this signed tree head of that size, byte for byte. Throws FormatError where it does not. */
export async function publishedCheckpoint(
  files: PublicFiles,
  release: SignedRelease,
  size: number,
  checkpoint: string,
): Promise<string> {
  const path = `ledger/checkpoints/${size}`;
  if (size > release.head.size)
    throw new FormatError(
      `the release has ${release.head.size} rows, so the tree of ${size} is not published yet`,
    );
  if (!(await readListed(files, release, path)).equals(Buffer.from(checkpoint)))
    throw new FormatError(`${path}: another tree head is published`);
  return `${path} is the same tree head`;
}

/** Whether a release has erased what a sealed row said. Throws FormatError for a file that is not the signed one. */
export async function isRowWithdrawn(
  files: PublicFiles,
  release: SignedRelease,
  row: number,
): Promise<boolean> {
  const { last_sealed_row: sealed } = release.manifest.inputs;
  if (row > sealed) return false;
  const lines = await readListed(files, release, `ledger/${disclosuresPath(bundleOf(row))}`);
  return disclosureOfRow(row, lines.toString("utf8")) === undefined;
}

/** A file of the release as its signed list has it. */
async function readListed(files: PublicFiles, { manifest }: SignedRelease, path: string): Promise<Buffer> {
  const body = await files.read(path);
  if (body === undefined) throw new FormatError(`${path}: the file is missing`);
  if (manifest.files[path] !== sha256Hex(body))
    throw new FormatError(`${path}: its hash is not the one in the signed list`);
  return body;
}
