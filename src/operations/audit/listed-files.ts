import { twinsOfList } from "../../kernel/files/compressed-twins.ts";
import { pathsOfBundle } from "../../proof/audit/bundle-audit.ts";
import type { ListedFile } from "../../proof/audit/public-files.ts";
import type { SignedRelease } from "../../proof/audit/release-manifest.ts";
import { bundleWidth, TILE_WIDTH } from "../../proof/tlog/tile.ts";

/**
 * All listed files but the bundles, which are checked with their rows. A file comes with its compressed twins where both lists have
 * the same order; the other twins come by themselves.
 */
export function* listedFiles(release: SignedRelease, list = ""): Generator<ListedFile, void> {
  const { head, manifest } = release;
  const groups = twinGroups(list);
  let group = groups.next().value;
  for (const path of Object.keys(manifest.files)) {
    for (; group !== undefined && group.file < path; group = groups.next().value)
      yield* aloneTwins(group, release);
    const own = group?.file === path ? group : undefined;
    if (own !== undefined) group = groups.next().value;
    yield* isBundle(path, head.size) ? aloneTwins(own, release) : [listedFile(path, own, release)];
  }
  for (; group !== undefined; group = groups.next().value) yield* aloneTwins(group, release);
}

function listedFile(path: string, own: TwinGroup | undefined, { manifest }: SignedRelease): ListedFile {
  return { path, sha256: manifest.files[path] ?? "", ...(own && { twins: own.twins }) };
}

function aloneTwins(group: TwinGroup | undefined, { manifest, manifestSha256 }: SignedRelease): ListedFile[] {
  if (group === undefined) return [];
  const holds = manifest.files[group.file] ?? manifestSha256;
  return group.twins.map(({ ending, sha256 }) => ({ path: group.file + ending, sha256, holds }));
}

interface TwinGroup {
  readonly file: string;
  readonly twins: { readonly ending: string; readonly sha256: string }[];
}

/** Twins of the same file that follow each other. */
function* twinGroups(list: string): Generator<TwinGroup, undefined> {
  let group: TwinGroup | undefined;
  for (const { file, ending, sha256 } of twinsOfList(list)) {
    if (group !== undefined && group.file !== file) yield group;
    if (group?.file !== file) group = { file, twins: [] };
    group.twins.push({ ending, sha256 });
  }
  if (group !== undefined) yield group;
}

const BUNDLE = /^ledger\/(?:tile\/entries|disclosures)\/((?:x\d{3}\/)*\d{3})(?:\.|$)/;

/** Whether the audit of the tree reads this file. */
function isBundle(path: string, size: number): boolean {
  const [, groups] = BUNDLE.exec(path) ?? [];
  if (groups === undefined) return false;
  const index = Number(groups.replaceAll(/[x/]/g, ""));
  if (index * TILE_WIDTH >= size) return false;
  const { entries, disclosures } = pathsOfBundle({ index, width: bundleWidth(index, size) });
  return path === entries || path === disclosures;
}
