import { type RecordRows, rowRanges } from "../../contract/ledger/row-ranges.ts";
import type { AssetRow, RecordRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";

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
