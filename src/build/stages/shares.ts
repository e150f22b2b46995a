import { availableParallelism } from "node:os";
import { z } from "zod";
import type { BuildEffects } from "../effects.ts";
import { runWorkers, type ThreadOptions } from "./worker.ts";

/** Files of a release that threads write side by side: each every `share`-th one, starting at its `turn`. */

const Task = z.object({
  snapshot: z.string(),
  site: z.string(),
  earlierSite: z.string().optional(),
});
export type WriteTask = z.infer<typeof Task>;

/** What one thread is given; see share-writer.ts. */
export const ShareTask = z.object({ ...Task.shape, turn: z.int(), share: z.int() });

/** What a thread has written since it last said so. */
export const WrittenFiles = z.object({
  hashes: z.array(z.tuple([z.string(), z.string()])),
  twins: z.array(z.tuple([z.string(), z.string()])),
  written: z.int(),
  linked: z.int(),
});
export type WrittenFiles = z.infer<typeof WrittenFiles>;

const MOST_WORKERS = 4;

/** Which part of the work each thread takes: as many threads as there are cores and as it is worth. */
export function turnsOf(worth = MOST_WORKERS): { readonly turn: number; readonly share: number }[] {
  const share = Math.min(MOST_WORKERS, availableParallelism(), worth);
  return Array.from({ length: share }, (_, turn) => ({ turn, share }));
}

export interface Threads {
  readonly script: URL;
  readonly worth?: number; // as many threads as there is work for
  readonly options?: ThreadOptions;
}

export async function writeInShares(
  { script, worth, options }: Threads,
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
  const tasks = turnsOf(worth).map((turn) => ({ ...task, ...turn }));
  await runWorkers(script, tasks, take, options);
}
