/** Which signs people are asked about: those whose evidence conflicts. Age alone asks nobody (see `assetState`). */
import type { AssetType } from "../contract/enums.ts";
import { type AsOf, ageInDays, PARAMETERS } from "./numbers.ts";
import { staleAfterDays } from "./types.ts";

/** What is reported of one asset, by observations that count. Days are solar days of its city. */
export interface AssetReports {
  readonly assetType: AssetType;
  /** The last day on which each observer saw it. */
  readonly lastDays: readonly number[];
  /** The day of the review that retired it; undefined for one that none retired. */
  readonly retiredOn: number | undefined;
  /** In how many months that began after a day two or more principals looked at its cell; 0 for a vehicle. */
  readonly lookedMonthsAfter: (day: number) => number;
}

export type AssetConflict = "seen_since_retired" | "reported_by_one";

/**
 * Somebody sees what a reviewer retired; or one observer alone still reports a sign that others saw before, while its area was looked at in
 * several months since the others last saw it.
 */
export function assetConflict(reports: AssetReports, asOf: AsOf): AssetConflict | undefined {
  const { assetType, lastDays, retiredOn, lookedMonthsAfter } = reports;
  if (retiredOn !== undefined)
    return lastDays.some((day) => day > retiredOn) ? "seen_since_retired" : undefined;
  const isOld = (day: number) => ageInDays(day, asOf) >= staleAfterDays(assetType);
  const [others, present] = [lastDays.filter(isOld), lastDays.filter((day) => !isOld(day))];
  if (others.length === 0 || present.length !== 1) return undefined;
  return lookedMonthsAfter(Math.max(...others)) >= PARAMETERS.assets.lookedMonths
    ? "reported_by_one"
    : undefined;
}
