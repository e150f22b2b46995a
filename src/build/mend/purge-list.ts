import { readOwnManifest } from "../../proof/audit/release-manifest.ts";

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
