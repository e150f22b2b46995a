import { PublicError } from "../../kernel/errors.ts";
import type { CityRow, RecordRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { PathValues } from "../define.ts";

/** Returns the record with its city, or undefined. A merged record throws a 404 that names the remaining one. */
export function publicRecord(
  snapshot: Snapshot,
  publicId: string,
): { record: RecordRow; city: CityRow } | undefined {
  const record = snapshot.record(publicId);
  if (record === undefined) return undefined;
  if (record.mergedInto !== null)
    throw new PublicError(404, "this record was merged into another one: see merged_into", {
      merged_into: record.mergedInto,
    });
  const city = snapshot.city(record.city);
  return city && { record, city };
}

export function* recordPaths(snapshot: Snapshot): Iterable<PathValues> {
  for (const public_id of snapshot.publicIds()) yield { public_id };
}
