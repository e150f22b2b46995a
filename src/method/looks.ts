import { cellToParent } from "h3-js";
import { MOBILE_RESOLUTION } from "../contract/records/public-precision.ts";
import type { Sighting } from "./types.ts";

interface Look {
  readonly day: number;
  publishedAt: number; // earliest publication of this and all later looks
}

/** Visits by cell with their publication times, checked before an unseen asset becomes stale. */
export class Looks {
  readonly #places: ReadonlyMap<string, readonly Look[]>;

  /** `sightings`: all sightings of a city that count as visits. */
  constructor(sightings: readonly Sighting[]) {
    const parents = new Map<string, string>();
    const areaOf = (cell: string) => {
      const area = parents.get(cell) ?? cellToParent(cell, MOBILE_RESOLUTION);
      parents.set(cell, area);
      return area;
    };
    const places = new Map<string, Look[]>();
    for (const { cell, fine, day, publishedAt } of sightings) {
      // A sighting in a fine cell also visits the coarse cell around it, but not vice versa.
      for (const place of fine ? [cell, areaOf(cell)] : [cell]) {
        const looks = places.get(place);
        if (looks) looks.push({ day, publishedAt });
        else places.set(place, [{ day, publishedAt }]);
      }
    }
    for (const looks of places.values()) settle(looks);
    this.#places = places;
  }

  /** First publication time of a visit to `cell` after `day`; undefined without one. */
  after(day: number, cell: string): number | undefined {
    const looks = this.#places.get(cell) ?? [];
    let low = 0;
    let high = looks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((looks[middle]?.day ?? Number.POSITIVE_INFINITY) <= day) low = middle + 1;
      else high = middle;
    }
    return looks[low]?.publishedAt;
  }
}

/** Sorts by day and propagates the earliest publication backwards, for lookup by binary search. */
function settle(looks: Look[]): void {
  looks.sort((a, b) => a.day - b.day);
  let earliest = Number.POSITIVE_INFINITY;
  for (const look of looks.toReversed()) {
    earliest = Math.min(earliest, look.publishedAt);
    look.publishedAt = earliest;
  }
}
