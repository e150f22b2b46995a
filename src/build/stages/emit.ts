import { jsonText } from "../../render/formats/media-types.ts";
import { carriedCity, carriedCityPath } from "../../snapshot/mend/carried-city.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { BuildEffects } from "../effects.ts";
import { type WriteTask, writeInShares } from "./shares.ts";

/** The objects of a document die young. */
const SMALL_YOUNG_SPACE = { resourceLimits: { maxYoungGenerationSizeMb: 16 } };
/** Each thread loads the whole program, so few records are not worth many threads. */
const RECORDS_A_WORKER = 200;

/** Writes every instance of every route that takes no query. */
export function emitRoutes(
  task: WriteTask,
  records: number,
  effects: BuildEffects,
  onProgress: (files: number) => void,
): Promise<void> {
  const worth = Math.ceil((records + 1) / RECORDS_A_WORKER);
  const threads = {
    module: new URL("./threads/emit-worker.ts", import.meta.url),
    worth,
    options: SMALL_YOUNG_SPACE,
  };
  return writeInShares(threads, task, effects, onProgress);
}

/** Writes the values that a patch release carries over, a file for each city that an erasure has changed. Returns the slugs. */
export function writeCarried(snapshot: Snapshot, effects: BuildEffects): string[] {
  const changed = snapshot.cities().filter(({ carriedOverAt }) => carriedOverAt !== null);
  for (const { slug } of changed) effects.write(carriedCityPath(slug), jsonText(carriedCity(snapshot, slug)));
  return changed.map(({ slug }) => slug);
}
