import type { BuildEffects } from "../effects.ts";
import { type WriteTask, writeInShares } from "./shares.ts";

/** What is made for a document is of no use after it. */
const SMALL_YOUNG_SPACE = { resourceLimits: { maxYoungGenerationSizeMb: 16 } };
/** A thread loads the whole program anew, so few records are not worth many threads. */
const RECORDS_A_WORKER = 200;

/** Write every argument-less instance of every route. */
export function emitRoutes(
  task: WriteTask,
  records: number,
  effects: BuildEffects,
  onProgress: (files: number) => void,
): Promise<void> {
  const worth = Math.ceil((records + 1) / RECORDS_A_WORKER);
  const threads = { script: new URL("./emit-worker.ts", import.meta.url), worth, options: SMALL_YOUNG_SPACE };
  return writeInShares(threads, task, effects, onProgress);
}
