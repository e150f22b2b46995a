import { homePaths } from "../../../kernel/home.ts";
import { buildSnapshot } from "../../../snapshot/build.ts";
import { type Mending, mendingOf } from "../../../snapshot/mend/mending.ts";
import { SNAPSHOT_VERSION } from "../../../snapshot/schema.ts";
import { openSnapshot } from "../../../snapshot/snapshot.ts";
import { loadReference } from "../../effects.ts";
import { buildInThreads, proversFor } from "../fold-threads.ts";
import type { Keeping } from "../row-keeper.ts";
import { type SnapshotMessage, SnapshotTask } from "../snapshot.ts";
import type { TaskModule } from "../tasks.ts";

/** Builds the snapshot. */
export const run: TaskModule["run"] = async (raw, send: (message: SnapshotMessage) => void) => {
  const { home, mends, ...task } = SnapshotTask.parse(raw);
  const input = {
    ...task,
    mends: mends === undefined ? undefined : mendingAt(mends),
    reference: loadReference(homePaths(home)),
    progress: (done: number, total: number) => send({ done, total }),
  };
  const threads = proversFor(task.treeSize);
  const keeping = keepingOf(task.settings);
  send({ summary: threads === 0 ? buildSnapshot(input) : await buildInThreads(input, { threads, keeping }) });
};

/** A checkout with changes, or of an unknown commit, may fold rows in another way tomorrow. */
function keepingOf({ sourceRevision }: SnapshotTask["settings"]): Keeping | undefined {
  if (sourceRevision === "unknown" || sourceRevision.endsWith("-modified")) return undefined;
  return { program: `${SNAPSHOT_VERSION} ${sourceRevision}` };
}

function mendingAt(path: string): Mending {
  const mended = openSnapshot(path);
  try {
    return mendingOf(mended);
  } finally {
    mended.close();
  }
}
