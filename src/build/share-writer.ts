import { parentPort, workerData } from "node:worker_threads";
import type { ReadContext } from "../resources/define.ts";
import { contextAt } from "../resources/release-store.ts";
import { readEarlierSite } from "./earlier-site.ts";
import { BuildEffects } from "./effects.ts";
import { ShareTask, type WrittenFiles } from "./stages/shares.ts";

export interface ShareWriter {
  readonly context: ReadContext;
  readonly effects: BuildEffects;
  /** Whether the item at this index is in this thread's share. */
  isOwn(at: number): boolean;
  /** Reports the files written since the last report. */
  report(): void;
}

/** Runs `write` in a thread of `writeInShares`, with the release being built, and reports its files. */
export async function writeShare(write: (writer: ShareWriter) => void | Promise<void>): Promise<void> {
  const { snapshot, site, earlierSite, turn, share } = ShareTask.parse(workerData);
  const context = contextAt(snapshot);
  const effects = new BuildEffects(site, readEarlierSite(earlierSite));
  const report = () => {
    const written: WrittenFiles = effects.drain();
    parentPort?.postMessage(written);
  };
  await write({ context, effects, isOwn: (at) => at % share === turn, report });
  report();
  context.close();
}
