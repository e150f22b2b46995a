/** Decides whether readers get a built release: it is held for what they would call a mistake, and only for what nothing explains. */
import { z } from "zod";
import type { Strictness } from "../../kernel/strictness.ts";
import { number } from "../../render/words/format.ts";
import { Between } from "../figures/between.ts";
import type { ReleaseFigures } from "../figures/figures.ts";
import { BOUND_NAMES, BOUNDS, type BoundName, WHAT } from "./bounds.ts";
import { type CityLosses, cityLosses, type Share } from "./losses.ts";

/** Why a release is held. */
export const Finding = z.strictObject({
  /** `figures_missing`: those of the published release are not there, or not signed. */
  bound: z.enum([...BOUND_NAMES, "figures_missing"]),
  city: z.string().nullable(), // slug; null: all of them
  moved: z.int(),
  of: z.int(),
  bound_percent: z.number(),
  text: z.string(),
});
export type Finding = z.infer<typeof Finding>;

const ALL = "All cities";

const SHARE_OF: Readonly<Record<BoundName, (losses: Omit<CityLosses, "city" | "name">) => Share>> = {
  records_gone: ({ records }) => records,
  observations_gone: ({ observations }) => observations,
  eligible_lost: ({ eligible }) => eligible,
  cells_lost: ({ cells }) => cells,
  tier_fallen: ({ tier }) => tier,
};

/** The findings about the release of `after`. Until a release has a ranking, nothing is held. */
export function judgeRelease(
  before: ReleaseFigures,
  after: ReleaseFigures,
  strictness: Strictness,
): Finding[] {
  const isRanked = before.cities.some(({ records }) => records.some(({ rank }) => rank !== null));
  if (strictness === "off" || !isRanked) return [];
  const losses = cityLosses(new Between(before, after));
  const ask = (city: string | null, name: string, share: (bound: BoundName) => Share) =>
    BOUND_NAMES.flatMap((bound) => exceeded({ bound, city, name, ...share(bound) }, strictness));
  const all = losses.length > 1 ? ask(null, ALL, (bound) => total(losses.map(SHARE_OF[bound]))) : [];
  return [...all, ...losses.flatMap((city) => ask(city.city, city.name, (bound) => SHARE_OF[bound](city)))];
}

/** For a published release without figures that can be believed: nothing is known of what the next one loses. */
export function figuresMissing(problem: string): Finding {
  const text = `The published release cannot be compared with: ${problem}`;
  return { bound: "figures_missing", city: null, moved: 0, of: 0, bound_percent: 0, text };
}

interface Measured extends Share {
  readonly bound: BoundName;
  readonly city: string | null;
  readonly name: string;
}

function exceeded(
  { bound, city, name, moved, of }: Measured,
  strictness: Exclude<Strictness, "off">,
): Finding[] {
  const { percent, least } = BOUNDS[bound][strictness];
  if (moved < least || 100 * moved <= percent * of) return [];
  const text = `${name}: ${number(moved)} of ${number(of)} ${WHAT[bound]} (bound: ${percent}%)`;
  return [{ bound, city, moved, of, bound_percent: percent, text }];
}

function total(shares: readonly Share[]): Share {
  return {
    moved: shares.reduce((sum, { moved }) => sum + moved, 0),
    of: shares.reduce((sum, { of }) => sum + of, 0),
  };
}
