import type { AssetType, PresenceKind } from "../../contract/enums.ts";

/** What seeing an asset of a type says (design 6). */
export const PRESENCE_KINDS: Readonly<Record<AssetType, PresenceKind>> = {
  storefront: "location_presence",
  site_sign: "location_presence",
  billboard: "location_presence",
  vehicle_wrap: "mobile_presence",
  temp_sign: "brand_mention",
};

export function isMobile(assetType: AssetType): boolean {
  return PRESENCE_KINDS[assetType] === "mobile_presence";
}
