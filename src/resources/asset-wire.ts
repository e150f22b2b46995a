import type { Asset } from "../contract/asset.ts";
import type { AssetRow } from "../snapshot/rows.ts";
import { timeOrNull } from "./plain-values.ts";

export function assetWire(asset: AssetRow): Asset {
  return {
    id: asset.id,
    public_id: asset.publicId,
    asset_type: asset.assetType,
    is_mobile: asset.isMobile,
    legibility_score: asset.legibility,
    first_observed: timeOrNull(asset.firstObserved),
    last_observed: timeOrNull(asset.lastObserved),
    status: asset.status,
    observation_count: asset.observationCount,
  };
}
