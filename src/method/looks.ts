import { cellToParent } from "h3-js";
import type { Sighting } from "./types.ts";

interface Look {
  readonly day: number;
  publishedAt: number; // the earliest publication of this look and all later ones
}

const MOBILE_RESOLUTION = 7;

/** Who looked where, and when that became public: asked before an unseen asset is called stale. */
export class Looks {
  readonly #places: ReadonlyMap<string, readonly Look[]>;

  /** `sightings`: all of a city that count as looking. */
  constructor(sightings: readonly Sighting[]) {
    const parents = new Map<string, string>();
    const areaOf = (cell: string) => {
      const area = parents.get(cell) ?? cellToParent(cell, MOBILE_RESOLUTION);
      parents.set(cell, area);
      return area;
    };
    const places = new Map<string, Look[]>();
    for (const { cell, fine, day, publishedAt } of sightings) {
      // A sighting in a fine cell is also a look into the coarse area around it, not the other way round.
      for (const place of fine ? [cell, areaOf(cell)] : [cell]) {
        const looks = places.get(place);
        if (looks) looks.push({ day, publishedAt });
        else places.set(place, [{ day, publishedAt }]);
      }
    }
    for (const looks of places.values()) settle(looks);
    this.#places = places;
  }

  /** When it first became public that somebody had looked in `cell` on a later day than `day`; undefined if nobody did. */
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

/** Sorts by day and carries the earliest publication backwards, so that one binary search answers a question. */
function settle(looks: Look[]): void {
  looks.sort((a, b) => a.day - b.day);
  let earliest = Number.POSITIVE_INFINITY;
  for (const look of looks.toReversed()) {
    earliest = Math.min(earliest, look.publishedAt);
    look.publishedAt = earliest;
  }
}
