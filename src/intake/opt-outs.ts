import { BoundedCache } from "../kernel/bounded-cache.ts";
import type { IntakeStore } from "../ledger/matching/intake-store.ts";
import { LineFault } from "./lines/fault.ts";
import { type IntakeHashes, optOutKey, type Sighting } from "./lines/sighting.ts";

const CACHED_NAMES = 50_000;

/** Says which sightings intake refuses because of an opt-out. Owns a cache, so the opt-outs must not change meanwhile. */
export class OptOuts {
  readonly #store: IntakeStore;
  readonly #hashes: IntakeHashes;
  readonly #names = new BoundedCache<string, boolean>(CACHED_NAMES);

  constructor(store: IntakeStore, hashes: IntakeHashes) {
    this.#store = store;
    this.#hashes = hashes;
  }

  /** Throws LineFault when the sighting's name has opted out in this city (slug). */
  refuse(city: string, { nameKey }: Sighting): void {
    const isOptedOut = this.#names.take(`${city} ${nameKey}`, () =>
      this.#store.isOptedOut(optOutKey(city, nameKey, this.#hashes)),
    );
    if (isOptedOut)
      throw new LineFault("opted_out", "name", "the record of this name in this city has opted out");
  }
}
