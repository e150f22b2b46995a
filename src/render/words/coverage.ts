/** Coverage of a city in words. An area is an eligible map cell; it is checked when somebody looked there, whether or not anything was seen. */

import type { Coverage } from "../../contract/cities/coverage.ts";
import type { CoverageTier, Freshness } from "../../contract/enums.ts";
import { count, number, percent } from "./format.ts";

type Words<Code extends string> = Readonly<Record<Code, string>>;

export const TIER_MEANINGS: Words<CoverageTier> = {
  none: "no recent sightings",
  seed: "a few first sightings; most of the city is unchecked",
  building: "checked regularly, but not as widely as “well covered” requires",
  dense: "enough of the city checked, by enough people, for long enough",
};

export const FRESHNESS_WORDS: Words<Freshness> = { current: "current", aging: "aging", stale: "out of date" };

export const FRESHNESS_MEANINGS: Words<Freshness> = {
  current: "the last sighting that counts is recent",
  aging: "the last sighting that counts is several weeks old",
  stale: "no sighting that counts for a long time, or none at all",
};

export const AREAS_CHECKED = "Areas checked in 90 days";

type Checked = Pick<Coverage["metrics"], "observed_eligible_cells_90d" | "eligible_coverage_cells">;

/** `78 of 181 areas`. They were looked at: fewer have a sighting. */
export function areasChecked({
  observed_eligible_cells_90d: checked,
  eligible_coverage_cells: all,
}: Checked): string {
  return `${number(checked)} of ${count(all, "area", "areas")}`;
}

type Requirement = Coverage["dense_gate"]["requirements"][number];

/** One requirement of the tier `dense` as a sentence: what holds, and what is needed. */
export function denseRequirement({ key, met, current, required }: Requirement): string {
  if (key === "eligible_cell_coverage")
    return `${percent(Number(current))} of the areas were checked (${percent(Number(required))} needed)`;
  if (key === "reviewed_denominator")
    return met ? "The list of areas was reviewed" : "The list of areas awaits a review";
  if (key === "independent_scouts")
    return `${count(Number(current), "person", "people")} observed on site (${required} needed)`;
  return `${key.replaceAll("_", " ")}: ${current} (${required} needed)`;
}

/** How long all requirements of the tier `dense` have been met. */
export function denseStreak({
  pass_streak_days: days,
  required_stability_days: required,
}: Coverage["dense_gate"]): string {
  return `All of these held for ${count(days, "day", "days")} in a row (${number(required)} needed)`;
}
