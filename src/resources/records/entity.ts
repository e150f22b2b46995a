import { RecordParams } from "../../contract/params.ts";
import { EntityResponse } from "../../contract/records/entity.ts";
import { defineResource } from "../define.ts";
import { envelope } from "../envelope.ts";
import { timeOrNull } from "../plain-values.ts";
import { assetWire } from "./asset-wire.ts";
import { entitySummary } from "./entity-summary.ts";
import { publicRecord, recordPaths } from "./public-record.ts";
import { recordRows } from "./record-rows.ts";
import { presenceScoreWire } from "./standing-wire.ts";

export const entity = defineResource({
  operationId: "getEntity",
  path: "/api/v1/entity/{public_id}",
  summary: "Get a Presence Record with its score, assets and online presence",
  description:
    "Returns 404 when the record does not exist or opted out. When it was merged, the error body names the remaining record in `merged_into`.",
  pathParams: RecordParams.shape,
  query: {},
  wire: EntityResponse,
  example: { path: { public_id: "ex_bakery" }, query: {} },
  errors: [400, 404],
  enumerate: recordPaths,
  load({ snapshot }, { public_id }) {
    const subject = publicRecord(snapshot, public_id);
    if (subject === undefined) return undefined;
    const { record, city } = subject;
    const { checkedAt, signalTypes, matchCount } = record.online;
    const release = snapshot.release();
    const assets = snapshot.assetsOf(record.id);
    return {
      entity: {
        ...entitySummary(record, city, release.baseUrl),
        website: record.website,
        same_as: [...(record.identity?.same_as ?? [])],
      },
      online_presence: {
        verdict: record.onlineVerdict,
        checked_at: timeOrNull(checkedAt),
        signal_types: [...signalTypes],
        match_count: matchCount,
      },
      presence_score: presenceScoreWire(record),
      stats: {
        observation_count: record.observationCount,
        unique_assets: record.assetCount,
        unique_cells: record.cellCount,
        row_count: record.rowCount,
      },
      assets: assets.map((asset) => assetWire(asset, city)),
      rows: recordRows(snapshot, record, assets),
      ...envelope(release, [city]),
    };
  },
});
