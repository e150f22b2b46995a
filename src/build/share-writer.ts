import { parentPort, workerData } from "node:worker_threads";
import type { ReadContext } from "../resources/define.ts";
import { contextAt } from "../resources/release-store.ts";
import { readEarlierSite } from "./earlier-site.ts";
import { BuildEffects } from "./effects.ts";
import { touches } from "./mend/touched.ts";
import { ShareTask, type WrittenFiles } from "./stages/shares.ts";

export interface ShareWriter {
  readonly context: ReadContext;
  readonly effects: BuildEffects;
  /** Whether the item at this index is in this thread's share. */
  isOwn(at: number): boolean;
  /** Links the file of the release that is mended, where the values in its address say that nothing in it has changed. */
  keep(values: Readonly<Record<string, string>>, path: string): boolean;
  /** Reports the files written since the last report. */
  report(): void;
}

/** Runs `write` in a thread of `writeInShares`, with the release being built, and reports its files. */
export async function writeShare(write: (writer: ShareWriter) => void | Promise<void>): Promise<void> {
  const { snapshot, site, earlierSite, touched, turn, share } = ShareTask.parse(workerData);
  const context = contextAt(snapshot);
  const effects = new BuildEffects(site, readEarlierSite(earlierSite));
  const report = () => {
    const written: WrittenFiles = effects.drain();
    parentPort?.postMessage(written);
  };
  const isTouched = touched === undefined ? () => true : touches(touched);
  const keep: ShareWriter["keep"] = (values, path) => !isTouched(values) && effects.keep(path);
  await write({ context, effects, isOwn: (at) => at % share === turn, keep, report });
  report();
  context.close();
}
