import { z } from "zod";
import type { BuildSummary } from "../../snapshot/build.ts";
import { ReleaseSettings } from "../../snapshot/release-settings.ts";
import { runTasks } from "./tasks.ts";

/** The inputs of the snapshot as plain data for its thread, which loads the reference data itself. */
export const SnapshotTask = z.object({
  home: z.string(),
  ledgerPath: z.string(),
  out: z.string(),
  treeSize: z.int(),
  asOf: z.number(),
  settings: ReleaseSettings,
  mends: z.string().optional(), // snapshot of the release that a patch release mends
  isSmall: z.boolean().optional(), // see tasks.ts
});
export type SnapshotTask = z.infer<typeof SnapshotTask>;

export const SnapshotMessage = z.union([
  z.object({ done: z.int(), total: z.int() }),
  z.object({
    summary: z.object({
      releaseId: z.string(),
      rows: z.int(),
      observations: z.int(),
      records: z.int(),
      merged: z.int(),
      cities: z.int(),
      events: z.int(),
    }),
  }),
]);
export type SnapshotMessage = z.infer<typeof SnapshotMessage>;

/** Builds the snapshot: in a thread, whose memory is free for the pages afterwards, unless the release is small. */
export async function makeSnapshot(
  task: SnapshotTask,
  onProgress: (rows: number, total: number) => void,
): Promise<BuildSummary> {
  let summary: BuildSummary | undefined;
  const take = (raw: unknown) => {
    const message = SnapshotMessage.parse(raw);
    if ("summary" in message) summary = message.summary;
    else onProgress(message.done, message.total);
  };
  await runTasks(new URL("./threads/snapshot-worker.ts", import.meta.url), [task], take, {
    isSmall: task.isSmall,
  });
  if (summary === undefined) throw new Error("the snapshot's task ended without a summary");
  return summary;
}
