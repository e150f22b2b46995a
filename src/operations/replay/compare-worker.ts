import type { TaskModule } from "../../build/stages/tasks.ts";
import { filesInFolder } from "../../proof/audit/site-files.ts";
import { contextAt } from "../../resources/release-store.ts";
import { compareDocuments } from "./comparison.ts";
import { CompareTask, signedHashes } from "./replay.ts";

/** Compares a share of the documents of a release that is replayed. */
export const run: TaskModule["run"] = async (raw, send) => {
  const { site, snapshot, published, manifestSha256, ...share } = CompareTask.parse(raw);
  const files = filesInFolder(site);
  const hashes = await signedHashes(files, manifestSha256);
  const context = contextAt(snapshot);
  const made = published === undefined ? undefined : contextAt(published);
  try {
    await compareDocuments({ files, hashes, made }, context, share, send);
  } finally {
    context.close();
    made?.close();
  }
};
