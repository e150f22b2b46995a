import { BoundedCache } from "../../kernel/bounded-cache.ts";
import { isDamaged } from "../lines/damaged-text.ts";
import { isGenericName, type PersonalDetail, personalDetail } from "../lines/name.ts";
import type { Sighting } from "../lines/sighting.ts";

/** The reason of a line whose name is near that of a record that opted out at the same place. */
export const NEAR_OPT_OUT = "near_opt_out";

/** Why a line waits for the review desk: by its name alone, and in all. */
export type NameHoldReason = "generic_name" | "damaged_name" | PersonalDetail;

export type HoldReason = typeof NEAR_OPT_OUT | NameHoldReason;

const details = new BoundedCache<string, PersonalDetail | "none">(50_000); // a day's lines repeat their names

/** The first reason that applies; undefined for a line that need not wait. */
export function nameHoldReason({
  input,
  name,
  nameKey,
}: Pick<Sighting, "name" | "nameKey"> & {
  readonly input: Pick<Sighting["input"], "name">;
}): NameHoldReason | undefined {
  if (isDamaged(input.name)) return "damaged_name"; // as it came in: cleaning takes control characters away
  if (isGenericName(nameKey)) return "generic_name";
  const detail = details.take(name, () => personalDetail(name) ?? "none");
  return detail === "none" ? undefined : detail;
}
