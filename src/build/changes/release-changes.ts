import { type ChangeRow, ReleaseChanges, type ReleaseRef } from "../../contract/service/exports.ts";
import { Between } from "../figures/between.ts";
import { type ReleaseFigures, recordsOf } from "../figures/figures.ts";

const COMPARED =
  "Records of both releases by public id. A record is changed when what is published of it differs (/api/v1/entity/{public_id}, apart from what that says of the release); `changed` says in what. Records that were taken away are counted and not named.";
const ANOTHER_FORMAT =
  "Records of both releases by public id. The two releases were compared by their lists of records alone, because another version of the program described the earlier one: no record is named as changed. Records that were taken away are counted and not named.";
const ALONE =
  "There was no earlier release to compare with: this is the first one, or those before it are deleted or damaged. Nothing follows from the counts.";

/** The changes of `now` against `before`. It names no id that is missing in `now`, because a missing record may have opted out. */
export function releaseChanges(now: ReleaseFigures, before: ReleaseFigures | undefined): ReleaseChanges {
  const between = before && new Between(before, now);
  const records = between === undefined ? [] : changedRecords(between);
  const count = (change: ChangeRow["change"]) => records.filter((row) => row.change === change).length;
  const named = { added: count("added"), changed: count("changed"), merged: count("merged") };
  const left = between === undefined ? [] : between.pairs().filter(({ is }) => is === undefined);
  return ReleaseChanges.parse({
    release: reference(now),
    against: before === undefined ? null : reference(before),
    note: between === undefined ? ALONE : between.hasSameVersion ? COMPARED : ANOTHER_FORMAT,
    ...named,
    removed: left.length - named.merged,
    records,
  } satisfies ReleaseChanges);
}

function changedRecords(between: Between): ChangeRow[] {
  const rows = between.pairs().flatMap(({ was, is }): ChangeRow[] => {
    if (is === undefined) {
      const merged_into = was && between.mergedInto(was.id);
      if (was === undefined || merged_into === undefined) return [];
      return [{ public_id: was.id, change: "merged", merged_into, changed: [] }];
    }
    const row = { public_id: is.id, merged_into: null };
    if (was === undefined) return [{ ...row, change: "added", changed: [] }];
    const changed = between.partsOf(was, is) ?? [];
    return changed.length === 0 ? [] : [{ ...row, change: "changed", changed }];
  });
  return rows.sort((a, b) => (a.public_id < b.public_id ? -1 : 1));
}

function reference(figures: ReleaseFigures): ReleaseRef {
  const { release_id, data_as_of } = figures;
  return { release_id, data_as_of, records: recordsOf(figures).length };
}
