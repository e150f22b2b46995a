import { type RecordRows, rowRanges } from "../../contract/ledger/ledger.ts";
import { IDENTITY_NOTE } from "../../contract/records/claim-boundary.ts";
import type { IdentityHierarchy } from "../../contract/records/entity.ts";
import { SCOPE_VERSION } from "../../contract/versions.ts";
import { PublicError } from "../../kernel/errors.ts";
import type { AssetRow, CityRow, RecordRow } from "../../snapshot/rows.ts";
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

/** The ledger rows that documents about a record rest on. */
export function recordRows(
  snapshot: Snapshot,
  { id }: Pick<RecordRow, "id">,
  assets: readonly AssetRow[],
): RecordRows {
  return {
    record: id,
    assets: assets.map((asset) => asset.id),
    observations: rowRanges(snapshot.observationRowsOf(id)),
  };
}

/** Reviewed relationships (interface 2.4). Null and empty values mean unreviewed, not that none exist. */
export function identityHierarchy(identity: RecordRow["identity"]): IdentityHierarchy {
  const review_state = identity === null ? "unreviewed" : "reviewed";
  return {
    review_state,
    scope: { value: identity?.scope ?? null, review_state, methodology_version: SCOPE_VERSION },
    brand: identity?.brand ?? null,
    organizations: identity?.organizations ?? [],
    note: IDENTITY_NOTE,
  };
}
