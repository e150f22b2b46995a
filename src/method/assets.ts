import type { AssetStatus, AssetType } from "../contract/enums.ts";
import { type AsOf, withinDays } from "./as-of.ts";
import { median } from "./numbers.ts";
import { PARAMETERS } from "./parameters.ts";

/** Days without a sighting after which an asset is stale: fewer for mobile and temporary assets. */
export function staleAfterDays(assetType: AssetType): number {
  const soon = assetType === "vehicle_wrap" || assetType === "temp_sign";
  return soon ? PARAMETERS.assets.staleMobileDays : PARAMETERS.assets.staleFixedDays;
}

export interface AssetFacts {
  readonly assetType: AssetType;
  readonly lastDay: number | undefined; // of its dating evidence
  readonly retired: boolean; // retired by its last review
}

export function assetStatus({ assetType, lastDay, retired }: AssetFacts, asOf: AsOf): AssetStatus {
  if (retired) return "retired";
  const seen = lastDay !== undefined && withinDays(lastDay, asOf, staleAfterDays(assetType));
  return seen ? "active" : "stale";
}

/** Returns the median legibility, ignoring observations without one; null when none has one. */
export function legibilityScore(values: readonly (number | null)[]): number | null {
  return median(values.filter((value) => value !== null)) ?? null;
}
