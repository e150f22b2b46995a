import { cellToParent } from "h3-js";
import { BoundedCache } from "../../kernel/bounded-cache.ts";
import type { IntakeStore } from "../../ledger/matching/intake-store.ts";
import type { LineToAccept } from "../lines/sighting.ts";
import { isCell } from "../places/anchors.ts";
import { CITY_RESOLUTION } from "../places/place.ts";

const CACHED_NAMES = 50_000;

/** What a batch has that no night before had. Rows tell it: lines that are pending count as new. Owned by one run. */
export class Novelty {
  readonly #store: IntakeStore;
  readonly #names = new BoundedCache<string, boolean>(CACHED_NAMES);
  /** City -> place of a fixed asset -> accepted lines. */
  readonly #lines = new Map<string, Map<string, number>>();

  constructor(store: IntakeStore) {
    this.#store = store;
  }

  /** Whether the name is new in the city (a slug). */
  isNewName({ nameKey }: Pick<LineToAccept, "nameKey">, city: string): boolean {
    return !this.#names.take(`${city} ${nameKey}`, () => this.#store.hasName(city, nameKey));
  }

  /** Remembers where an accepted line was, whose transaction may still fail: then the run ends. */
  note({ place }: Pick<LineToAccept, "place">, city: string): void {
    if (!isCell(place)) return;
    const cell = cellToParent(place, CITY_RESOLUTION);
    const lines = this.#lines.get(city) ?? new Map<string, number>();
    this.#lines.set(city, lines);
    lines.set(cell, (lines.get(cell) ?? 0) + 1);
  }

  /** How many of the lines were in new cells. Reads the places of their cities. */
  newCells(): number {
    let found = 0;
    for (const [city, lines] of this.#lines) {
      const known = new Set(
        this.#store
          .placesIn(city)
          .filter(isCell)
          .map((place) => cellToParent(place, CITY_RESOLUTION)),
      );
      for (const [cell, count] of lines) if (!known.has(cell)) found += count;
    }
    return found;
  }
}
