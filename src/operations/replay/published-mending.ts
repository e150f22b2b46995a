import { sha256Hex } from "../../kernel/hash.ts";
import { type PublicFiles, readPublished } from "../../proof/audit/public-files.ts";
import type { SignedRelease } from "../../proof/audit/release-manifest.ts";
import { CarriedCity, carriedCityPath } from "../../snapshot/mend/carried-city.ts";
import type { CarriedBy, Mending } from "../../snapshot/mend/mending.ts";

/**
 * What a patch release says of the release that it mends, with the values that it carries over; undefined for a nightly release. Throws
 * ZodError or an error of the file for values that are missing, malformed or not the signed ones.
 */
export async function publishedMending(
  files: PublicFiles,
  { manifest }: SignedRelease,
): Promise<Mending | undefined> {
  const { mends } = manifest;
  if (mends === undefined) return undefined;
  const cities = new Map<string, CarriedBy>();
  for (const slug of mends.carried_over.cities) {
    const path = carriedCityPath(slug);
    const body = await readPublished(files, path);
    if (sha256Hex(body) !== manifest.files[path])
      throw new Error(`${path}: its hash is not the one in the signed list`);
    const carried = CarriedCity.parse(JSON.parse(body.toString("utf8")));
    if (carried.city !== slug) throw new Error(`${path}: holds the values of ${carried.city}`);
    cities.set(slug, { ...carried, snapshotId: undefined });
  }
  const { release_id: releaseId, tree_size: treeSize, last_sealed_row: lastSealedRow } = mends;
  return { releaseId, treeSize, lastSealedRow, cities };
}

/** How many values of each kind a patch release carries over: no row of its own leads to them. */
export function carriedCounts(mends: Mending | undefined): Record<string, number> {
  const cities = [...(mends?.cities.values() ?? [])];
  if (cities.length === 0) return {};
  const standings = cities.flatMap(({ records }) => Object.values(records)).map(({ standing }) => standing);
  return {
    scores: standings.length,
    ranks: standings.filter(({ rank }) => rank !== null).length,
    coverage: cities.length,
  };
}
