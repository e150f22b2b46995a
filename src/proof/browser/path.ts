import { equalBytes, toHex } from "../tlog/bytes.ts";
import type { TreeHead } from "../tlog/note.ts";
import { type NodeHash, rootOfInclusion } from "../tlog/proof.ts";
import type { TileTree } from "../tlog/tile-tree.ts";
import type { FoundLeaf } from "./leaf.ts";
import { type Fact, type Passed, Stop, shortened } from "./outcome.ts";

/** Whether the leaf's hash and its siblings from the tiles lead to the signed root. */
export async function checkPath(
  { leaf, hash }: FoundLeaf,
  head: TreeHead,
  tree: TileTree,
  nodeHash: NodeHash,
): Promise<Passed<undefined>> {
  const index = leaf.row - 1;
  const path = await tree.inclusionPath(index);
  const root = await rootOfInclusion({ index, size: head.size, leafHash: hash, path }, nodeHash);
  const facts: Fact[] = [
    ...path.map((sibling, at) => ({ name: `Sibling ${at + 1}`, value: toHex(sibling) })),
    { name: "Root recomputed", value: toHex(root) },
    { name: "Root signed", value: toHex(head.root) },
  ];
  if (!equalBytes(root, head.root))
    throw new Stop("failed", "The recomputed root differs from the signed root.", facts);
  const steps = path.length === 1 ? "1 sibling" : `${path.length} siblings`;
  return {
    says: `With ${steps}, the leaf hashes to the signed root ${shortened(toHex(root))}.`,
    facts,
    found: undefined,
  };
}
