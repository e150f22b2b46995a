import { z } from "zod";
import type { BuildEffects } from "../effects.ts";
import { WrittenFiles } from "./shares.ts";
import { runTasks } from "./tasks.ts";

export const LedgerTask = z.object({
  ledgerPath: z.string(),
  site: z.string(),
  earlierSite: z.string().optional(),
  treeSize: z.int(),
  asOf: z.number(),
  isSmall: z.boolean().optional(), // see tasks.ts
});
export type LedgerTask = z.infer<typeof LedgerTask>;

export const LedgerMessage = z.union([z.object({ done: z.int(), total: z.int() }), WrittenFiles]);
export type LedgerMessage = z.infer<typeof LedgerMessage>;

type Progress = (rows: number, total: number) => void;

/** Writes the tree, its tiles and its disclosures below `ledger/`, in a separate thread unless the release is small. */
export async function publishLedger(
  task: LedgerTask,
  effects: BuildEffects,
  onProgress: Progress,
): Promise<void> {
  const take = (raw: unknown) => {
    const message = LedgerMessage.parse(raw);
    if ("hashes" in message) effects.merge(message);
    else onProgress(message.done, message.total);
  };
  await runTasks(new URL("./threads/ledger-worker.ts", import.meta.url), [task], take, {
    isSmall: task.isSmall,
  });
}

/** Starts the same beside other stages. Returns a function that waits for its end and throws its failure. */
export function startLedger(
  task: LedgerTask,
  effects: BuildEffects,
): (onProgress?: Progress) => Promise<void> {
  let show: Progress | undefined;
  const settled = Promise.allSettled([publishLedger(task, effects, (rows, total) => show?.(rows, total))]);
  return async (onProgress) => {
    show = onProgress;
    const [outcome] = await settled;
    if (outcome.status === "rejected") throw outcome.reason;
  };
}
