import { z } from "zod";
import type { ReleaseChanges } from "../../contract/service/exports.ts";
import { readOwnManifest } from "../../proof/audit/release-manifest.ts";
import type { PathValues } from "../../resources/define.ts";
import { recordOf } from "../../site/routes/record-documents.ts";

/** What a patch release makes anew, as plain data for its threads. A release without it makes every file. */
export const Touched = z.object({
  cities: z.array(z.string()), // slugs
  records: z.array(z.string()), // public ids
});
export type Touched = z.infer<typeof Touched>;

/** The names in addresses that stand for a city. */
const CITY_NAMES = ["city", "slug"];

export type IsTouched = (values: PathValues) => boolean;

/**
 * Decides by the values in its address whether a file is about anything that was touched. A file about no single city or record
 * may list all of them, so it always is.
 */
export function touches({ cities, records }: Touched): IsTouched {
  const touchedCities = new Set(cities);
  const touchedRecords = new Set(records);
  return (values) => {
    const record = recordOf(values);
    if (record !== undefined) return touchedRecords.has(record);
    const city = CITY_NAMES.map((name) => values[name]).find((value) => value !== undefined);
    return city === undefined || touchedCities.has(city);
  };
}

/** Addresses (absolute URLs) whose answers caches must drop after a patch release. */
export interface PurgeList {
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** Compares the manifests (paths) of the mended release and of its patch. */
export function purgeList(mended: string, patch: string): PurgeList {
  const [before, after] = [readOwnManifest(mended), readOwnManifest(patch)];
  const { base_url } = after.inputs;
  const addresses = (paths: readonly string[]) =>
    paths.flatMap((path) => addressesOf(path).map((address) => base_url + address));
  const paths = Object.keys(before.files);
  return {
    removed: addresses(paths.filter((path) => after.files[path] === undefined)),
    changed: addresses(
      paths.filter((path) => (after.files[path] ?? before.files[path]) !== before.files[path]),
    ),
  };
}

/** Every address under which a file is answered. */
function addressesOf(path: string): string[] {
  if (path === "index.html" || path.endsWith("/index.html"))
    return [`/${path.slice(0, -"index.html".length)}`, `/${path}`];
  return path.startsWith("api/") && path.endsWith(".json")
    ? [`/${path.slice(0, -".json".length)}`, `/${path}`]
    : [`/${path}`];
}

interface PatchRelease {
  readonly releaseId: string;
  readonly records: number;
  readonly gone: readonly string[]; // public ids of erased records
}

/** The change file of a release that is mended, without what the erasure took out. */
export function mendedChanges(
  changes: ReleaseChanges,
  { releaseId, records, gone }: PatchRelease,
): ReleaseChanges {
  const erased = new Set(gone);
  const rows = changes.records.filter(
    ({ public_id, merged_into }) => !erased.has(public_id) && !erased.has(merged_into ?? ""),
  );
  const wasAdded = new Set(
    changes.records.filter(({ change }) => change === "added").map(({ public_id }) => public_id),
  );
  const count = (change: string) => rows.filter((row) => row.change === change).length;
  const removed = changes.against === null ? 0 : gone.filter((id) => !wasAdded.has(id)).length;
  return {
    ...changes,
    release: { ...changes.release, release_id: releaseId, records },
    added: count("added"),
    changed: count("changed"),
    merged: count("merged"),
    removed: changes.removed + removed,
    records: rows,
  };
}
