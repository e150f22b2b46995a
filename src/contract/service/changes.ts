import { z } from "zod";
import { Count, Timestamp } from "../fields.ts";

/** What a release changed in the records, against the release before: `/exports/changes.json` and `changes.csv`. */

export const RecordChange = z.enum(["added", "changed", "merged"]);
export type RecordChange = z.infer<typeof RecordChange>;

export const ChangeRow = z
  .object({
    public_id: z.string().describe("Public id of the record."),
    change: RecordChange.describe(
      "`added`: it was not published before. `changed`: its document says something else. `merged`: it is now another record.",
    ),
    merged_into: z.string().nullable().describe("The record that a merged one is now; else empty."),
  })
  .meta({ id: "ChangeRow", description: "One record that is not as it was in the release before." });
export type ChangeRow = z.infer<typeof ChangeRow>;

export const ReleaseRef = z.looseObject({
  release_id: z.string(),
  data_as_of: Timestamp,
  records: Count.describe("Records that it publishes."),
});
export type ReleaseRef = z.infer<typeof ReleaseRef>;

export const ReleaseChanges = z
  .looseObject({
    release: ReleaseRef,
    against: ReleaseRef.nullable().describe("The release before; null when there is none to compare with."),
    note: z.string(),
    added: Count,
    changed: Count,
    merged: Count,
    removed: Count.describe(
      "Records of the release before that are no longer published and not merged. They are counted and never named.",
    ),
    records: z.array(ChangeRow).describe("By public id."),
  })
  .meta({ id: "ReleaseChanges", description: "Records that a release added, changed and removed." });
export type ReleaseChanges = z.infer<typeof ReleaseChanges>;
