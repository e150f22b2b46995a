import { parentPort, workerData } from "node:worker_threads";
import type { ReadContext } from "../resources/define.ts";
import { contextAt } from "../resources/release-store.ts";
import { readEarlierSite } from "./earlier-site.ts";
import { BuildEffects, type TwinsWanted } from "./effects.ts";
import { type AddressValues, recordOf, touches } from "./mend/touched.ts";
import { ShareTask, type WrittenFiles } from "./stages/shares.ts";

export interface ShareWriter {
  readonly context: ReadContext;
  readonly effects: BuildEffects;
  /** Whether the item at this index is in this thread's share. */
  isOwn(at: number): boolean;
  /** Writes a file with the twins that the values in its address call for, unless `keep` links it. */
  write(values: AddressValues, path: string, body: string | Uint8Array): void;
  /** Links the file of the release that is mended, where the values in its address say that nothing in it has changed. */
  keep(values: AddressValues, path: string): boolean;
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
  await write({
    context,
    effects,
    isOwn: (at) => at % share === turn,
    write: (values, path, body) => effects.write(path, body, twinsFor(values)),
    keep: (values, path) => !isTouched(values) && effects.keep(path, twinsFor(values)),
    report,
  });
  report();
  context.close();
}

/**
 * There are as many files of each kind as records, each is new every night, and few are asked for before the next: their twins would
 * be most of a release. A server or a CDN compresses those that are asked for.
 */
function twinsFor(values: AddressValues): TwinsWanted {
  return recordOf(values) === undefined ? "worthwhile" : "none";
}
