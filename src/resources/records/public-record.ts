import { PublicError } from "../../kernel/errors.ts";
import type { CityRow, RecordRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { PathValues } from "../define.ts";

/** The record with its city; undefined when there is none. A merged one is a 404 that names the record that stays. */
export function publicRecord(
  snapshot: Snapshot,
  publicId: string,
): { record: RecordRow; city: CityRow } | undefined {
  const record = snapshot.record(publicId);
  if (record === undefined) return undefined;
  if (record.mergedInto !== null)
    throw new PublicError(404, "this record was merged into another one", { merged_into: record.mergedInto });
  const city = snapshot.city(record.city);
  return city && { record, city };
}

export function* recordPaths(snapshot: Snapshot): Iterable<PathValues> {
  for (const public_id of snapshot.publicIds()) yield { public_id };
}
