import { mergedPage, recordPagePath } from "../../render/merged-page.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { BuildEffects } from "../effects.ts";

/** Writes a redirecting page for every merged public id: ids are never reused, and their addresses stay valid. */
export function writeMergedPages(
  snapshot: Pick<Snapshot, "mergedIds" | "release">,
  effects: Pick<BuildEffects, "write">,
): void {
  const { baseUrl } = snapshot.release();
  for (const { publicId, mergedInto } of snapshot.mergedIds())
    effects.write(recordPagePath(publicId), mergedPage(baseUrl, publicId, mergedInto));
}
