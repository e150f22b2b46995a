import type { BuildEffects } from "../effects.ts";
import { type WriteTask, writeInShares } from "./shares.ts";

/** What is made for a document is of no use after it. */
const SMALL_YOUNG_SPACE = { maxYoungGenerationSizeMb: 16 };

/** Write every argument-less instance of every route. */
export function emitRoutes(
  task: WriteTask,
  effects: BuildEffects,
  onProgress: (files: number) => void,
): Promise<void> {
  return writeInShares({ script: "emit-worker.ts", limits: SMALL_YOUNG_SPACE }, task, effects, onProgress);
}
