import type { Snapshot } from "../snapshot.ts";
import { carriedCity } from "./carried-city.ts";
import type { Mending } from "./mending.ts";

/** All that a patch release takes over from the release that it mends. A patch of a patch still refers to the nightly release. */
export function mendingOf(mended: Snapshot): Mending {
  const { releaseId, treeSize, lastSealedRow, mends } = mended.release();
  const cities = mended
    .cities()
    .map(({ slug, snapshotId }) => [slug, { ...carriedCity(mended, slug), snapshotId }] as const);
  return {
    releaseId,
    treeSize,
    lastSealedRow: mends?.lastSealedRow ?? lastSealedRow,
    cities: new Map(cities),
  };
}
