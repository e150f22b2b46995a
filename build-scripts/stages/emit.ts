import { availableParallelism } from "node:os";
import { z } from "zod";
import type { BuildEffects } from "../effects.ts";
import { runWorkers } from "./worker.ts";

/** What the emitter's workers need; plain data, because it crosses threads. */
export interface EmitTask {
  readonly snapshot: string;
  readonly site: string;
  readonly earlierSite: string | undefined;
}

export const EmitMessage = z.object({
  hashes: z.array(z.tuple([z.string(), z.string()])),
  twins: z.array(z.tuple([z.string(), z.string()])),
  written: z.int(),
  linked: z.int(),
});
export type EmitMessage = z.infer<typeof EmitMessage>;

const MAX_WORKERS = 4;
/** What is made for a document is of no use after it. */
const SMALL_YOUNG_SPACE = { maxYoungGenerationSizeMb: 16 };

/** Write every argument-less instance of every route. Instances are dealt out to workers, one by one in turn. */
export async function emitRoutes(
  task: EmitTask,
  effects: BuildEffects,
  onProgress: (files: number) => void,
): Promise<void> {
  const share = Math.min(MAX_WORKERS, availableParallelism());
  let files = 0;
  const take = (message: unknown) => {
    const written = EmitMessage.parse(message);
    effects.merge(written);
    files += written.hashes.length;
    onProgress(files);
  };
  const turns = Array.from({ length: share }, (_, turn) => ({ ...task, turn, share }));
  await runWorkers("emit-worker.ts", turns, take, SMALL_YOUNG_SPACE);
}
