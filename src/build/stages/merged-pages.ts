import { mergedPage, recordPagePath } from "../../render/merged-page.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { BuildEffects } from "../effects.ts";

/** A page for every public id that was merged: ids are never given out again, and addresses lead on. */
export function writeMergedPages(
  snapshot: Pick<Snapshot, "mergedIds" | "release">,
  effects: Pick<BuildEffects, "write">,
): void {
  const { baseUrl } = snapshot.release();
  for (const { publicId, mergedInto } of snapshot.mergedIds())
    effects.write(recordPagePath(publicId), mergedPage(baseUrl, publicId, mergedInto));
}
