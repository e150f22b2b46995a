/** Two releases on disk, read for the bounds. */

import { releasePaths } from "../../kernel/home.ts";
import { readOwnManifest } from "../../proof/audit/release-manifest.ts";
import { isReadable, openSnapshot, type Snapshot } from "../../snapshot/snapshot.ts";
import { type Bounds, type Finding, judgeGone, judgeMoves } from "./judge-release.ts";
import { type CityMoves, cityMoves, type Share } from "./moves.ts";
import { type Erased, releaseFigures } from "./release-figures.ts";

/** The findings about the release in `after`, compared with the one in `before` (directories). */
export function judgeBuilt(before: string, after: string, bounds: Bounds): Finding[] {
  const compared = compareReleases(before, after);
  return "cities" in compared ? judgeMoves(compared.cities, bounds) : judgeGone(compared.gone, bounds);
}

/** `gone`: another version of the program made the earlier release, so only its records are known, by their files. */
export type Compared = { readonly cities: readonly CityMoves[] } | { readonly gone: Share };

export function compareReleases(before: string, after: string): Compared {
  const later = openSnapshot(releasePaths(after).snapshot);
  try {
    const path = releasePaths(before).snapshot;
    if (!isReadable(path)) return { gone: goneByFiles(before, after, later) };
    const earlier = openSnapshot(path);
    try {
      return { cities: movesBetween({ before, after, earlier, later }) };
    } finally {
      earlier.close();
    }
  } finally {
    later.close();
  }
}

interface TwoReleases {
  readonly before: string;
  readonly after: string;
  readonly earlier: Snapshot;
  readonly later: Snapshot;
}

function movesBetween({ before, after, earlier, later }: TwoReleases): CityMoves[] {
  const rows = erasedRows(later, earlier.release().treeSize);
  const erased: Erased = { rows: rows.length, records: new Set(earlier.recordsWith(rows)) };
  return cityMoves(
    releaseFigures(earlier, before, erased),
    releaseFigures(later, after, NOTHING_ERASED),
    (publicId) => isMergedIn(later, publicId),
  );
}

const NOTHING_ERASED: Erased = { rows: 0, records: new Set() };

/** The rows that are erased in a release, by rows after the first `treeSize`. */
function erasedRows(snapshot: Snapshot, treeSize: number): number[] {
  return snapshot.withdrawals(treeSize + 1, 0, snapshot.withdrawalCount()).map(({ row }) => row);
}

function isMergedIn(snapshot: Snapshot, publicId: string): boolean {
  return typeof snapshot.record(publicId)?.mergedInto === "string";
}

const ENTITY_FILE = /^api\/v1\/entity\/([^/]+)\.json$/;

/** Each erased row took out one record at most. */
function goneByFiles(before: string, after: string, later: Snapshot): Share {
  const was = entitiesOf(before);
  const is = new Set(entitiesOf(after).ids);
  const gone = was.ids.filter((id) => !is.has(id) && !isMergedIn(later, id));
  return { moved: Math.max(0, gone.length - erasedRows(later, was.treeSize).length), of: was.ids.length };
}

function entitiesOf(directory: string): { readonly treeSize: number; readonly ids: string[] } {
  const { files, inputs } = readOwnManifest(releasePaths(directory).manifest);
  const ids = Object.keys(files).flatMap((path) => {
    const [, name] = ENTITY_FILE.exec(path) ?? [];
    return name === undefined ? [] : [decodeURIComponent(name)];
  });
  return { treeSize: inputs.tree_size, ids };
}
