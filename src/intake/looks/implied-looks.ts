import { LOOK_PARAMETERS } from "../../contract/params.ts";
import { BoundedCache } from "../../kernel/bounded-cache.ts";
import { lastSpanEnd } from "../../kernel/day-spans.ts";
import { solarDayNumber, solarOffsetHours } from "../../kernel/time.ts";
import { LOOK_SPANS } from "../../ledger/looks/waiting-looks.ts";
import type { IntakeStore } from "../../ledger/matching/intake-store.ts";
import type { Sighting } from "../lines/sighting.ts";
import { isMobile } from "../matching/asset-kind.ts";
import type { City } from "../places/place.ts";
import type { Lookers } from "./lookers.ts";

const CACHED_LOOKS = 50_000;

/**
 * The looks that observations which count imply: whoever saw a fixed asset looked at its cell. One of a mobile asset implies none,
 * and neither does one from an archive. Most repeat a look of the same day, so those written are remembered: the owner drops it with its transaction.
 */
export class ImpliedLooks {
  readonly #store: IntakeStore;
  readonly #lookers: Lookers;
  readonly #known = new BoundedCache<string, true>(CACHED_LOOKS);
  readonly #closed = new Map<string, number>();

  constructor(store: IntakeStore, lookers: Lookers) {
    this.#store = store;
    this.#lookers = lookers;
  }

  /** `acceptedDay`: UTC, ms. Throws LineFault for a source that is not active. */
  add(
    { input, instant, cell, observerHash }: Pick<Sighting, "input" | "instant" | "cell" | "observerHash">,
    city: City,
    acceptedDay: number,
  ): void {
    if (isMobile(input.asset_type) || input.derived_from_archive === true) return;
    const day = solarDayNumber(instant, solarOffsetHours(city.details.lng));
    if (day <= this.#closedThrough(city, acceptedDay)) return;
    const looker = this.#lookers.of(input, observerHash);
    this.#known.take(`${cell} ${day} ${looker.source} ${looker.observer}`, () => {
      this.#store.addLook({ city: city.slug, day, cell, ...looker });
      return true;
    });
  }

  /** The last solar day whose rows are written, or were due when a line of that day came: later looks enter no row. */
  #closedThrough({ slug, details }: City, acceptedDay: number): number {
    const key = `${slug} ${acceptedDay}`;
    const known = this.#closed.get(key);
    if (known !== undefined) return known;
    const today = solarDayNumber(acceptedDay, solarOffsetHours(details.lng));
    const over = today - 1 - LOOK_PARAMETERS.graceDays;
    const due = Math.min(...LOOK_SPANS.map((kind) => lastSpanEnd(kind, over)));
    const closed = Math.max(due, this.#store.looksClosed(slug));
    this.#closed.set(key, closed);
    return closed;
  }
}
