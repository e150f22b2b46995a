import type { AssetType, SetAsideReason, SourceType } from "../../contract/enums.ts";
import { PARAMETERS } from "../parameters.ts";
import type { Sighting } from "../types.ts";

/** What decides whether an observation counts as independent evidence, as far as public data tell. */
export interface IndependenceFacts {
  readonly source: SourceType;
  readonly assetType: AssetType;
  readonly counts: boolean; // as its row says, or the last row about it
}

/** The reason why an observation is set aside: the check of public data first. Null for one that counts. */
export function setAsideReason({ source, assetType, counts }: IndependenceFacts): SetAsideReason | null {
  if (!canSee(source, assetType)) return "source_cannot_see";
  return counts ? null : "private_trace";
}

/** Whether a source of that type can plausibly see an asset of that type. */
export function canSee(source: SourceType, assetType: AssetType): boolean {
  return assetType === "vehicle_wrap" || PARAMETERS.independence.seesFixed[source] === 1;
}

/** Whether a sighting is independent evidence: not rejected, and not set aside. */
export function isIndependent({ verdict, setAside }: Pick<Sighting, "verdict" | "setAside">): boolean {
  return verdict !== "rejected" && setAside === null;
}
