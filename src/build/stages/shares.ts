/** Files of a release that threads write in parallel, if it is not small: each thread every `share`-th one, starting at its `turn`. */

import { availableParallelism } from "node:os";
import { z } from "zod";
import { RecordDocuments } from "../../kernel/record-documents.ts";
import type { BuildEffects } from "../effects.ts";
import { Touched } from "../mend/touched.ts";
import { runTasks } from "./tasks.ts";
import type { ThreadOptions } from "./worker.ts";

const Task = z.object({
  snapshot: z.string(),
  site: z.string(),
  earlierSite: z.string().optional(),
  touched: Touched.optional(), // of a patch release: all other files are linked
  documents: RecordDocuments,
  isSmall: z.boolean().optional(), // whether the calling thread writes all; see tasks.ts
});
export type WriteTask = z.infer<typeof Task>;

/** The task of one thread; see share-writer.ts. */
export const ShareTask = z.object({ ...Task.shape, turn: z.int(), share: z.int() });

/** The files that a thread has written since its last report. */
export const WrittenFiles = z.object({
  hashes: z.array(z.tuple([z.string(), z.string()])),
  written: z.int(),
  linked: z.int(),
});
export type WrittenFiles = z.infer<typeof WrittenFiles>;

const MAX_WORKERS = 4;

/** The share of each thread; at most as many threads as cores, and as the work is worth. */
export function turnsOf(worth = MAX_WORKERS): { readonly turn: number; readonly share: number }[] {
  const share = Math.min(MAX_WORKERS, availableParallelism(), worth);
  return Array.from({ length: share }, (_, turn) => ({ turn, share }));
}

export interface Threads {
  readonly module: URL; // a TaskModule
  readonly worth?: number; // maximum number of threads
  readonly options?: ThreadOptions;
}

export async function writeInShares(
  { module, worth, options }: Threads,
  task: WriteTask,
  effects: BuildEffects,
  onProgress: (files: number) => void,
): Promise<void> {
  let files = 0;
  const take = (message: unknown) => {
    const written = WrittenFiles.parse(message);
    effects.merge(written);
    files += written.hashes.length;
    onProgress(files);
  };
  const { isSmall } = task;
  const tasks = turnsOf(isSmall === true ? 1 : worth).map((turn) => ({ ...task, ...turn }));
  await runTasks(module, tasks, take, { ...options, isSmall });
}
