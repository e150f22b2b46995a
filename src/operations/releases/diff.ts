/** What differs between two releases, for the operator who decides about one of them. */
import { keptRelease } from "../../build/changes/known-releases.ts";
import { releaseChanges } from "../../build/changes/release-changes.ts";
import { compareReleases } from "../../build/judge/compare.ts";
import type { CityMoves, Share } from "../../build/judge/moves.ts";
import { heldRelease } from "../../build/stages/held.ts";
import { currentRelease } from "../../build/stages/publish.ts";
import type { ReleaseChanges } from "../../contract/service/exports.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { type Home, releasePaths } from "../../kernel/home.ts";
import { openSnapshot } from "../../snapshot/snapshot.ts";
import { findRelease } from "./known.ts";

export interface ReleaseDiff {
  readonly changes: ReleaseChanges;
  /** Null where another version of the program made the earlier release. */
  readonly cities: readonly CityMoves[] | null;
  readonly gone: Share;
}

/** The releases to compare: named by id, or the published one and the one that is held. Throws OperatorError for an unknown one. */
export function chosenReleases(
  home: Home,
  from: string | undefined,
  to: string | undefined,
): { readonly before: string; readonly after: string } {
  const before = from === undefined ? currentRelease(home) : findRelease(home, from);
  const after = to === undefined ? heldRelease(home)?.directory : findRelease(home, to);
  if (before === undefined) throw new OperatorError("no release is published yet: give two ids");
  if (after === undefined)
    throw new OperatorError(
      "no release is held: give two ids, the earlier one first (`presence release list` shows them)",
    );
  return { before, after };
}

export function diffReleases(before: string, after: string): ReleaseDiff {
  const [was, is] = [keptRelease(before), keptRelease(after)];
  const compared = compareReleases(before, after);
  const snapshot = openSnapshot(releasePaths(after).snapshot);
  try {
    const changes = releaseChanges(is.index(), was.index(), (id) => snapshot.record(id)?.mergedInto);
    if (!("cities" in compared)) return { changes, cities: null, gone: compared.gone };
    const { cities } = compared;
    return { changes, cities, gone: sum(cities.map(({ records }) => records)) };
  } finally {
    snapshot.close();
  }
}

function sum(shares: readonly Share[]): Share {
  return {
    moved: shares.reduce((count, { moved }) => count + moved, 0),
    of: shares.reduce((count, { of }) => count + of, 0),
  };
}
