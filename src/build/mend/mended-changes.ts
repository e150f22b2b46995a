import type { ReleaseChanges } from "../../contract/service/exports.ts";

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
