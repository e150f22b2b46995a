import { availableParallelism } from "node:os";
import type { BuildEffects } from "../effects.ts";
import { EmitMessage, type EmitTask } from "./emit.ts";
import { runWorkers } from "./worker.ts";

const MAX_WORKERS = 4;
/** A thread has its own fonts and its own copy of the drawing program, so few pictures are not worth many threads. */
const PICTURES_A_WORKER = 20;

/** Draw the pictures that are shown where pages are shared: one of the site, one of each city. */
export async function drawPictures(
  task: EmitTask,
  cities: number,
  effects: BuildEffects,
  onProgress: (pictures: number) => void,
): Promise<void> {
  const share = Math.min(MAX_WORKERS, availableParallelism(), Math.ceil((cities + 1) / PICTURES_A_WORKER));
  let pictures = 0;
  const take = (message: unknown) => {
    const written = EmitMessage.parse(message);
    effects.merge(written);
    pictures += written.hashes.length;
    onProgress(pictures);
  };
  const turns = Array.from({ length: share }, (_, turn) => ({ ...task, turn, share }));
  await runWorkers("picture-worker.ts", turns, take);
}
