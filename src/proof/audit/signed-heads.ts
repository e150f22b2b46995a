import { openTreeHead } from "../../ledger/keys/key-ring.ts";
import type { Findings } from "./findings.ts";
import type { PublicFiles } from "./public-files.ts";
import { type SignedRelease, text } from "./release-manifest.ts";
import type { DueHead } from "./tree-comparison.ts";

const KEPT = "the checkpoint that you kept";

/** Every signed tree head whose root the leaves must lead to, by size: the published ones and one that was kept from earlier. */
export async function signedHeads(
  files: PublicFiles,
  release: SignedRelease,
  remembered: string | undefined,
  findings: Findings,
): Promise<Map<number, DueHead[]>> {
  const { ring, head, manifest } = release;
  const due = new Map<number, DueHead[]>();
  const add = (size: number, entry: DueHead) => due.set(size, [...(due.get(size) ?? []), entry]);
  add(head.size, { subject: "ledger/checkpoint", root: head.root, isPublished: true });
  const paths = Object.keys(manifest.files).filter((path) => path.startsWith("ledger/checkpoints/"));
  for (const path of paths) {
    await findings.attempt(path, async () => {
      const { size, root } = openTreeHead(await text(files, path), ring);
      if (path !== `ledger/checkpoints/${size}`) throw new Error(`holds the tree head of ${size} rows`);
      if (size > head.size) throw new Error(`is larger than the newest tree head of ${head.size} rows`);
      add(size, { subject: path, root, isPublished: true });
    });
  }
  if (!paths.includes(`ledger/checkpoints/${head.size}`))
    findings.fault(`ledger/checkpoints/${head.size}`, "the newest checkpoint is not among those kept");
  if (remembered === undefined) return due;
  const kept = await findings.attempt(KEPT, () => openTreeHead(remembered, ring));
  if (kept !== undefined && kept.size > head.size)
    findings.fault(KEPT, `has ${kept.size} rows, but the log now shows ${head.size}`);
  else if (kept !== undefined) add(kept.size, { subject: KEPT, root: kept.root, isPublished: false });
  return due;
}
