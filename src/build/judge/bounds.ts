/** What holds a release, by strictness: the one table of it, which docs/operations/way-back.md shows. */
import type { Strictness } from "../../kernel/strictness.ts";

export const BOUND_NAMES = [
  "records_gone",
  "observations_gone",
  "eligible_lost",
  "cells_lost",
  "tier_fallen",
] as const;
export type BoundName = (typeof BOUND_NAMES)[number];

/** More than this share is held, unless it is fewer than `least` in number. */
export interface Bound {
  readonly percent: number;
  readonly least: number;
}

export const BOUNDS: Readonly<Record<BoundName, Readonly<Record<Exclude<Strictness, "off">, Bound>>>> = {
  records_gone: { strict: { percent: 1, least: 3 }, normal: { percent: 5, least: 10 } },
  observations_gone: { strict: { percent: 1, least: 10 }, normal: { percent: 5, least: 50 } },
  eligible_lost: { strict: { percent: 2, least: 2 }, normal: { percent: 10, least: 5 } },
  cells_lost: { strict: { percent: 2, least: 2 }, normal: { percent: 10, least: 5 } },
  tier_fallen: { strict: { percent: 0, least: 1 }, normal: { percent: 0, least: 1 } },
};

/** What a bound counts, as it reads behind "12 of 100". */
export const WHAT: Readonly<Record<BoundName, string>> = {
  records_gone: "records are gone",
  observations_gone: "observations are gone",
  eligible_lost: "eligible records are no longer eligible",
  cells_lost: "cells that were looked at are no longer counted",
  tier_fallen: "coverage tiers of a past week are lower",
};
