import { solarDayStart } from "../../kernel/time.ts";
import type { AsOf } from "../as-of.ts";
import { staleAfterDays } from "../assets.ts";
import { isLive } from "../live.ts";
import type { Looks } from "../looks.ts";
import type { JudgedSighting } from "../types.ts";
import type { EventAsset, EventRecord, Occurrence } from "./event-types.ts";

/**
 * Finds when a record's assets went stale, as knowable at the time: the last published sighting is old enough, and a later
 * visit to its cell is public. A sighting published later does not undo it.
 */
export function staleOccurrences(record: EventRecord, looks: Looks, asOf: AsOf): Occurrence[] {
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
      return [{ type: "stale_asset", detectedAt, asset, evidence }];
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

/** Time when the asset with the last sighting `last` became stale; Infinity without a later visit. */
function staleSince(asset: EventAsset, last: JudgedSighting, looks: Looks, { offsetHours }: AsOf): number {
  const unseen = solarDayStart(last.day + staleAfterDays(asset.assetType), offsetHours);
  const looked = looks.after(last.day, last.cell) ?? Number.POSITIVE_INFINITY;
  return Math.max(unseen, last.publishedAt, looked);
}

function isRetired({ retirements }: EventAsset, at: number): boolean {
  const decided = retirements.filter((retirement) => retirement.at <= at).sort((a, b) => a.at - b.at);
  return decided.at(-1)?.retired ?? false;
}
