import { type ChangeRow, ReleaseChanges, type ReleaseRef } from "../../contract/service/exports.ts";
import type { RecordIndex } from "./record-index.ts";

/** The record that a public id was merged into; null if it was not merged, undefined if the release has no such id. */
type MergedInto = (publicId: string) => string | null | undefined;

const COMPARED =
  "Records of both releases by public id. A record is changed when its document (/api/v1/entity/{public_id}) says something else, apart from what that says of the release. Records that were taken away are counted and not named.";
const ALONE =
  "There was no earlier release to compare with: this is the first one, or those before it were deleted. Nothing follows from the counts.";

/** The changes of `now` against `before`. It names no id that is missing in `now`, because a missing record may have opted out. */
export function releaseChanges(
  now: RecordIndex,
  before: RecordIndex | undefined,
  mergedInto: MergedInto,
): ReleaseChanges {
  const records = before === undefined ? [] : changedRecords(now.records, before.records, mergedInto);
  const count = (change: ChangeRow["change"]) => records.filter((row) => row.change === change).length;
  const named = { added: count("added"), changed: count("changed"), merged: count("merged") };
  const left = before === undefined ? [] : Object.keys(before.records).filter((id) => !(id in now.records));
  return ReleaseChanges.parse({
    release: reference(now),
    against: before === undefined ? null : reference(before),
    note: before === undefined ? ALONE : COMPARED,
    ...named,
    removed: left.length - named.merged,
    records,
  } satisfies ReleaseChanges);
}

function changedRecords(
  now: RecordIndex["records"],
  before: RecordIndex["records"],
  mergedInto: MergedInto,
): ChangeRow[] {
  const rows: ChangeRow[] = [];
  for (const id of [...new Set([...Object.keys(now), ...Object.keys(before)])].sort()) {
    const merged = id in now ? null : mergedInto(id);
    if (merged) rows.push({ public_id: id, change: "merged", merged_into: merged });
    else if (id in now && now[id] !== before[id])
      rows.push({ public_id: id, change: id in before ? "changed" : "added", merged_into: null });
  }
  return rows;
}

function reference({ release_id, data_as_of, records }: RecordIndex): ReleaseRef {
  return { release_id, data_as_of, records: Object.keys(records).length };
}
