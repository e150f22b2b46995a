/** Changes to records between two releases: `/exports/changes.json` and `changes.csv`. */

import { z } from "zod";
import { Count, Timestamp } from "../fields.ts";

export const RecordChange = z.enum(["added", "changed", "merged"]);

export const ChangeRow = z
  .object({
    public_id: z.string().describe("Public id of the record."),
    change: RecordChange.describe(
      "`added`: not published before. `changed`: its document differs. `merged`: now part of another record.",
    ),
    merged_into: z
      .string()
      .nullable()
      .describe("For a merged record, the record it is now part of; otherwise empty."),
  })
  .meta({ id: "ChangeRow", description: "One record that differs from the previous release." });
export type ChangeRow = z.infer<typeof ChangeRow>;

export const ReleaseRef = z.looseObject({
  release_id: z.string(),
  data_as_of: Timestamp,
  records: Count.describe("Records in this release."),
});
export type ReleaseRef = z.infer<typeof ReleaseRef>;

export const ReleaseChanges = z
  .looseObject({
    release: ReleaseRef,
    against: ReleaseRef.nullable().describe("The previous release; null when there is none to compare with."),
    note: z.string(),
    added: Count,
    changed: Count,
    merged: Count,
    removed: Count.describe(
      "Number of records of the previous release that are no longer published and were not merged. They are never named.",
    ),
    records: z.array(ChangeRow).describe("Sorted by public id."),
  })
  .meta({ id: "ReleaseChanges", description: "Records that a release added, changed or removed." });
export type ReleaseChanges = z.infer<typeof ReleaseChanges>;
