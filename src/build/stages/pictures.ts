import type { BuildEffects } from "../effects.ts";
import { type WriteTask, writeInShares } from "./shares.ts";

/** A thread has its own fonts and its own copy of the drawing program, so few pictures are not worth many threads. */
const PICTURES_A_WORKER = 20;

/** Draw the pictures that are shown where pages are shared: one of the site, one of each city. */
export function drawPictures(
  task: WriteTask,
  cities: number,
  effects: BuildEffects,
  onProgress: (pictures: number) => void,
): Promise<void> {
  const worth = Math.ceil((cities + 1) / PICTURES_A_WORKER);
  return writeInShares(
    { script: new URL("./picture-worker.ts", import.meta.url), worth },
    task,
    effects,
    onProgress,
  );
}
