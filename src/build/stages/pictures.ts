import type { BuildEffects } from "../effects.ts";
import { type WriteTask, writeInShares } from "./shares.ts";

/** Each thread loads fonts and the renderer, so few pictures are not worth many threads. */
const PICTURES_A_WORKER = 20;

/** Draws the social images: one for the site, one for each city. */
export function drawPictures(
  task: WriteTask,
  cities: number,
  effects: BuildEffects,
  onProgress: (pictures: number) => void,
): Promise<void> {
  const worth = Math.ceil((cities + 1) / PICTURES_A_WORKER);
  return writeInShares(
    { module: new URL("./threads/picture-worker.ts", import.meta.url), worth },
    task,
    effects,
    onProgress,
  );
}
