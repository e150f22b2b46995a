import type { Asset } from "../../contract/records/asset.ts";
import type { AssetRow, CityRow } from "../../snapshot/rows.ts";
import { observedSpan } from "../plain-values.ts";

export function assetWire(asset: AssetRow, city: CityRow): Asset {
  return {
    id: asset.id,
    public_id: asset.publicId,
    asset_type: asset.assetType,
    is_mobile: asset.isMobile,
    legibility_score: asset.legibility,
    ...observedSpan(asset, city.lng),
    status: asset.status,
    observation_count: asset.observationCount,
    counting_observation_count: asset.observationCount - asset.setAsideCount,
  };
}
