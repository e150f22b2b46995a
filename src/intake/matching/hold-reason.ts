import { isGenericName } from "../lines/name.ts";
import { type PersonalDetail, personalDetail } from "../lines/personal-detail.ts";
import type { Sighting } from "../lines/sighting.ts";
import type { OptOutVerdict } from "../opt-outs/judge.ts";

/** The reason of a line whose name is near that of a record that opted out at the same place. */
export const NEAR_OPT_OUT = "near_opt_out";

/** Why a line waits for the review desk. */
export type HoldReason = typeof NEAR_OPT_OUT | "generic_name" | PersonalDetail;

/** The first reason that applies; undefined for a line that need not wait. */
export function holdReason({ name, nameKey }: Sighting, verdict: OptOutVerdict): HoldReason | undefined {
  if (verdict === "review") return NEAR_OPT_OUT;
  return isGenericName(nameKey) ? "generic_name" : personalDetail(name);
}
