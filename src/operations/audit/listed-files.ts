import { pathsOfBundle } from "../../proof/audit/bundle-audit.ts";
import type { ListedFile } from "../../proof/audit/public-files.ts";
import type { SignedRelease } from "../../proof/audit/release-manifest.ts";
import { bundleWidth, TILE_WIDTH } from "../../proof/tlog/tile.ts";

/** All listed files but the bundles, which are checked with their rows. */
export function* listedFiles({ head, manifest }: SignedRelease): Generator<ListedFile, void> {
  for (const [path, sha256] of Object.entries(manifest.files))
    if (!isBundle(path, head.size)) yield { path, sha256 };
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
