import { type RecordRows, rowRanges } from "../../contract/ledger/ledger.ts";
import { RecordParams } from "../../contract/params.ts";
import { IDENTITY_NOTE } from "../../contract/records/claim-boundary.ts";
import type { IdentityHierarchy } from "../../contract/records/entity.ts";
import { SCOPE_VERSION } from "../../contract/versions.ts";
import { PublicError } from "../../kernel/errors.ts";
import type { AssetRow, CityRow, RecordRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { type DocumentFacts, defineResource, type PathValues, type Resource } from "../define.ts";

interface Subject {
  readonly record: RecordRow;
  readonly city: CityRow;
}

/** A read about one record, without further arguments. */
export function defineRecordDocument<W>({
  load,
  ...facts
}: DocumentFacts<W> & { load(snapshot: Snapshot, subject: Subject): W }): Resource<W> {
  return defineResource({
    ...facts,
    pathParams: RecordParams.shape,
    query: {},
    example: { path: { public_id: "ex_bakery" }, query: {} },
    errors: [400, 404],
    enumerate: recordPaths,
    load({ snapshot }, { public_id }) {
      const subject = publicRecord(snapshot, public_id);
      return subject && load(snapshot, subject);
    },
  });
}

/** Returns the record with its city, or undefined. A merged record throws a 404 that names the remaining one. */
export function publicRecord(snapshot: Snapshot, publicId: string): Subject | undefined {
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
