import { solarDayStart } from "../../kernel/time.ts";
import { type AsOf, dateOfDay } from "../as-of.ts";
import { staleAfterDays } from "../assets.ts";
import { isLive } from "../live.ts";
import type { LookedMonths } from "../looks.ts";
import type { JudgedSighting } from "../types.ts";
import type { EventAsset, Occurrence, Seen } from "./event-types.ts";

/**
 * Finds when an asset went stale, as knowable at the time: the last sighting that counted then is old enough, and for a fixed asset
 * the row of a later month says that its cell was looked at. Nobody looks for one vehicle: a mobile asset is stale by age alone.
 * What is published or decided later does not undo it. What came from another record or asset was stale there, if it was before.
 */
export function staleOccurrences(
  asset: EventAsset,
  seen: readonly Seen[],
  looks: LookedMonths,
  asOf: AsOf,
): Occurrence[] {
  return lastSeen(seen, asOf).flatMap(({ last: { sighting, from, isMoved }, since, until }) => {
    const stale = staleSince(asset, sighting, looks, asOf);
    const detectedAt = Math.max(stale, from, since);
    const stands = detectedAt < until && isLive(sighting, asOf) && !isRetired(asset, detectedAt);
    if (!stands || (isMoved && stale <= from)) return [];
    const lookedMonths = sighting.fine ? monthsBy(detectedAt, sighting, looks) : undefined;
    const evidence = seen.filter((each) => each.from <= detectedAt);
    return [
      { type: "stale_asset", detectedAt, asset, since: dateOfDay(sighting.day), evidence, lookedMonths },
    ];
  });
}

interface LastSeen {
  readonly last: Seen;
  readonly since: number; // ms: publication from which it was the last one
  until: number;
}

/** What was the asset's last sighting that counted, in the order of time. The earliest published of a day stands for it. */
function lastSeen(seen: readonly Seen[], asOf: AsOf): LastSeen[] {
  const entering = seen.toSorted((a, b) => a.from - b.from || liveFirst(a, b, asOf));
  const byTime = Map.groupBy(entering, ({ from }) => from);
  const ends = seen.map(({ until }) => until).filter((until) => until < Number.POSITIVE_INFINITY);
  const lasts: LastSeen[] = [];
  for (const time of [...new Set([...byTime.keys(), ...ends])].sort((a, b) => a - b)) {
    const before = lasts.at(-1);
    // Of those that counted before, the last one is enough, until it counts no more.
    const lasting = before !== undefined && before.last.until > time;
    const known = lasting ? [before.last] : entering.filter(({ from }) => from < time);
    const last = latest([...known, ...(byTime.get(time) ?? [])], time);
    if (before?.last === last) continue;
    if (before !== undefined) before.until = Math.min(before.until, time);
    if (last !== undefined) lasts.push({ last, since: time, until: Number.POSITIVE_INFINITY });
  }
  return lasts;
}

function liveFirst({ sighting: a }: Seen, { sighting: b }: Seen, asOf: AsOf): number {
  return Number(isLive(b, asOf)) - Number(isLive(a, asOf)) || a.id - b.id;
}

/** The one of the latest day that counts at a time; the first of equal ones. */
function latest(seen: readonly Seen[], time: number): Seen | undefined {
  return seen.reduce<Seen | undefined>(
    (last, each) =>
      each.until > time && (last === undefined || each.sighting.day > last.sighting.day) ? each : last,
    undefined,
  );
}

/** Time when an asset with the last sighting `last` became stale; Infinity for a fixed one whose cell was not looked at since. */
function staleSince(
  asset: EventAsset,
  last: JudgedSighting,
  looks: LookedMonths,
  { offsetHours }: AsOf,
): number {
  const unseen = solarDayStart(last.day + staleAfterDays(asset.assetType), offsetHours);
  if (!last.fine) return unseen;
  const looked = looks.after(last.day, last.cell).map(({ publishedAt }) => publishedAt);
  return Math.max(unseen, Math.min(Number.POSITIVE_INFINITY, ...looked));
}

/** In how many months the cell of a last sighting was looked at since, as published by a time. */
function monthsBy(time: number, { day, cell }: JudgedSighting, looks: LookedMonths): number {
  return looks.after(day, cell).filter(({ publishedAt }) => publishedAt <= time).length;
}

function isRetired({ retirements }: EventAsset, at: number): boolean {
  const decided = retirements.filter((retirement) => retirement.at <= at).sort((a, b) => a.at - b.at);
  return decided.at(-1)?.retired ?? false;
}
