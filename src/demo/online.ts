import type { OnlinePresence, SignalType } from "../contract/enums.ts";
import type { SeededNumbers } from "../kernel/seeded.ts";
import type { Business } from "./businesses.ts";
import type { Decision } from "./desk.ts";

const RECHECK_DAYS = 35;

interface Result {
  readonly verdict: OnlinePresence;
  readonly signalTypes: SignalType[];
  readonly matchCount: number;
}

/** Six in ten businesses are looked up on the web, first some weeks after they were first seen, then repeatedly. */
export function onlineChecks(business: Business, numbers: SeededNumbers): Decision[] {
  const { from, city } = business;
  if (!numbers.chance(0.6)) return [];
  const decisions: Decision[] = [];
  let night = from + numbers.between(3, 25);
  while (night <= city.last_day) {
    const result = resultFor(business, numbers);
    decisions.push({ night, act: (desk) => desk.check(business, result) });
    night += RECHECK_DAYS + numbers.between(0, 160);
  }
  return decisions;
}

/** A website is nearly always found; without one, a profile, a listing, or nothing. */
function resultFor({ website }: Business, numbers: SeededNumbers): Result {
  const signals = website === null ? SIGNALS_WITHOUT_SITE : SIGNALS_WITH_SITE;
  const verdict = numbers.weighted<OnlinePresence>([
    ["detected", website === null ? 40 : 92],
    ["none", website === null ? 42 : 2],
    ["unknown", website === null ? 18 : 6],
  ]);
  if (verdict !== "detected") return { verdict, signalTypes: [], matchCount: 0 };
  const signalTypes = [...numbers.pick(signals)];
  return { verdict, signalTypes, matchCount: signalTypes.length + numbers.between(0, 4) };
}

const SIGNALS_WITH_SITE: readonly (readonly SignalType[])[] = [
  ["website"],
  ["website", "maps_listing"],
  ["website", "maps_listing", "social_profile"],
];
const SIGNALS_WITHOUT_SITE: readonly (readonly SignalType[])[] = [
  ["maps_listing"],
  ["social_profile"],
  ["directory_listing", "maps_listing"],
  ["other"],
];
