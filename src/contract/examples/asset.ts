import type { Asset } from "../asset.ts";

export const storefront: Asset = {
  id: 3,
  public_id: "ex_asset_storefront",
  asset_type: "storefront",
  is_mobile: false,
  legibility_score: 0.92,
  first_observed: "2026-02-03T15:00:00Z",
  last_observed: "2026-06-18T16:00:00Z",
  status: "active",
  observation_count: 7,
};

export const van: Asset = {
  id: 18,
  public_id: "ex_asset_van",
  asset_type: "vehicle_wrap",
  is_mobile: true,
  legibility_score: null,
  first_observed: "2026-06-05T00:00:00Z",
  last_observed: "2026-06-11T00:00:00Z",
  status: "active",
  observation_count: 2,
};
