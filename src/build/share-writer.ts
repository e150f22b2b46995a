import { parentPort, workerData } from "node:worker_threads";
import type { ReadContext } from "../resources/define.ts";
import { contextAt } from "../resources/release-store.ts";
import { readEarlierSite } from "./earlier-site.ts";
import { BuildEffects } from "./effects.ts";
import { ShareTask, type WrittenFiles } from "./stages/shares.ts";

export interface ShareWriter {
  readonly context: ReadContext;
  readonly effects: BuildEffects;
  /** Whether the thing at this place, counted from 0, is this thread's to write. */
  isOwn(at: number): boolean;
  /** Says what was written since the last time. */
  report(): void;
}

/** Within a thread of `writeInShares`: opens the release that is built, lets `write` write, and reports the rest. */
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
