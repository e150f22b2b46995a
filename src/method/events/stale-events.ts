import { solarDayStart } from "../../kernel/time.ts";
import type { AsOf } from "../as-of.ts";
import { staleAfterDays } from "../assets.ts";
import { isLive } from "../live.ts";
import type { LookedMonths } from "../looks.ts";
import type { JudgedSighting } from "../types.ts";
import type { EventAsset, EventRecord, Occurrence } from "./event-types.ts";

/**
 * Finds when a record's assets went stale, as knowable at the time: the last published sighting is old enough, and for a fixed asset
 * the row of a later month says that its cell was looked at. Nobody looks for one vehicle: a mobile asset is stale by age alone. A
 * sighting published later does not undo it.
 */
export function staleOccurrences(record: EventRecord, looks: LookedMonths, asOf: AsOf): Occurrence[] {
  const byAsset = Map.groupBy(record.sightings, ({ asset }) => asset);
  return record.assets.flatMap((asset) => {
    const sightings = byAsset.get(asset.id) ?? [];
    const lasts = successiveLasts(sightings, asOf);
    return lasts.flatMap((last, index) => {
      const detectedAt = staleSince(asset, last, looks, asOf);
      const until = lasts[index + 1]?.publishedAt ?? Number.POSITIVE_INFINITY;
      const stands = detectedAt < until && isLive(last, asOf) && !isRetired(asset, detectedAt);
      if (!stands) return [];
      const evidence = sightings.filter(({ publishedAt }) => publishedAt <= detectedAt);
      const lookedMonths = last.fine ? monthsBy(detectedAt, last, looks) : undefined;
      return [{ type: "stale_asset", detectedAt, asset, evidence, lookedMonths }];
    });
  });
}

/** Sightings that became the asset's last one when they were published, in order of publication. */
function successiveLasts(sightings: readonly JudgedSighting[], asOf: AsOf): JudgedSighting[] {
  const ordered = sightings.toSorted(
    (a, b) =>
      a.publishedAt - b.publishedAt || Number(isLive(b, asOf)) - Number(isLive(a, asOf)) || a.id - b.id,
  );
  let lastDay = Number.NEGATIVE_INFINITY;
  return ordered.filter(({ day }) => {
    if (day <= lastDay) return false;
    lastDay = day;
    return true;
  });
}

/** Time when the asset with the last sighting `last` became stale; Infinity for a fixed one whose cell was not looked at since. */
function staleSince(
  asset: EventAsset,
  last: JudgedSighting,
  looks: LookedMonths,
  { offsetHours }: AsOf,
): number {
  const unseen = Math.max(
    solarDayStart(last.day + staleAfterDays(asset.assetType), offsetHours),
    last.publishedAt,
  );
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
