import { equalBytes } from "./bytes.ts";
import { FormatError } from "./format-error.ts";
import { parseNote } from "./note.ts";
import { type NodeHash, rootOfInclusion } from "./proof.ts";
import { type ReadFile, TileTree } from "./tile-tree.ts";
import { formatTlogProof } from "./tlog-proof.ts";
import { parseTreeHead } from "./tree-head.ts";

/** A ledger row that the tree does not hold, or a size that was never signed. */
export class NotInTree extends FormatError {}

export interface ProofRequest {
  readonly row: number; // from 1
  readonly size?: number | undefined; // of an earlier signed tree; the newest when not given
}

/**
 * The `.tlog-proof` of a row, made of published files alone: paths are below the log's prefix. Throws NotInTree, and FormatError
 * when the tiles do not lead from the row to the root of the checkpoint. The caller verifies its signature.
 */
export async function rowProof(
  { row, size }: ProofRequest,
  read: ReadFile,
  nodeHash: NodeHash,
): Promise<string> {
  const bytes = await read(size === undefined ? "checkpoint" : `checkpoints/${size}`);
  if (bytes === undefined) throw new NotInTree(`no checkpoint of ${size ?? "any"} rows is published`);
  const checkpoint = new TextDecoder().decode(bytes);
  const head = parseTreeHead(parseNote(checkpoint).text);
  const tree = new TileTree(head.size, read, nodeHash);
  if (!Number.isSafeInteger(row) || row < 1 || row > tree.size)
    throw new NotInTree(`the tree has the rows 1 to ${tree.size}`);
  const index = row - 1;
  const [leafHash, path] = await Promise.all([tree.leafHash(index), tree.inclusionPath(index)]);
  const root = await rootOfInclusion({ index, size: head.size, leafHash, path }, nodeHash);
  if (!equalBytes(root, head.root))
    throw new FormatError(`the published tiles do not lead from row ${row} to the root of ${head.size} rows`);
  return formatTlogProof({ index, path, checkpoint });
}
