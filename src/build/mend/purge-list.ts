import { readFileSync } from "node:fs";
import { z } from "zod";

const Manifest = z.object({
  files: z.custom<Readonly<Record<string, string>>>((files) => typeof files === "object" && files !== null),
  inputs: z.object({ base_url: z.string() }),
});

/** Addresses (absolute URLs) whose answers caches must drop after a patch release. */
export interface PurgeList {
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** Compares the manifests (paths) of the mended release and of its patch. */
export function purgeList(mended: string, patch: string): PurgeList {
  const [before, after] = [mended, patch].map((path) =>
    Manifest.parse(JSON.parse(readFileSync(path, "utf8"))),
  );
  if (before === undefined || after === undefined) return { removed: [], changed: [] };
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
