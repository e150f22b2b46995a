import { AssetType } from "../../contract/enums.ts";
import { BoundedCache } from "../../kernel/bounded-cache.ts";
import type { IntakeStore } from "../../ledger/matching/intake-store.ts";
import { Anchors, NOWHERE } from "../places/anchors.ts";

/** The features of a sighting that matching uses. `place` is the anchor key: a cell, a mobile asset's reference, or nowhere. */
export interface MatchSubject {
  readonly city: string;
  readonly nameKey: string;
  readonly place: string;
  readonly mobile: boolean;
  readonly brand: boolean;
  readonly contacts: readonly Buffer[];
}

/** The record a sighting belongs to, if it is known; else the records that a new one might be the same as. */
export interface Match {
  readonly record: number | undefined;
  readonly candidates: number[];
  /** Where its name is known in the city; `learn` adds to it. */
  readonly named: Anchors;
}

const TYPES = AssetType.options;
const MAX_CANDIDATES = 5;
const CACHED_NAMES = 50_000;
const CACHED_CONTACTS = 50_000;
const CACHED_ASSETS = 200_000;

/** Matches sightings to records and assets (design 6). Owns caches, so it must not be used after a failed transaction. */
export class Matcher {
  readonly #store: IntakeStore;
  readonly #names = new BoundedCache<string, Anchors>(CACHED_NAMES);
  readonly #contacts = new BoundedCache<string, number>(CACHED_CONTACTS);
  readonly #assets = new BoundedCache<number, Anchors>(CACHED_ASSETS);

  constructor(store: IntakeStore) {
    this.#store = store;
  }

  match(subject: MatchSubject): Match {
    const named = this.#named(subject);
    const record = this.#byContact(subject) ?? byName(subject, named);
    const candidates =
      record === undefined ? [...named.ids].sort((a, b) => a - b).slice(0, MAX_CANDIDATES) : [];
    return { record, candidates, named };
  }

  /** Remembers under which name, at which place and with which contacts a record was seen. */
  learn(subject: MatchSubject, { named }: Match, record: number): void {
    const { city, nameKey, place } = subject;
    if (!(named.ids.has(record) && named.at(place) !== undefined)) {
      named.add(place, record);
      this.#store.addName(city, nameKey, place, record);
    }
    for (const key of subject.contacts) {
      if (this.#recordOfContact(city, key) !== undefined) continue;
      this.#store.addContact(city, key, record);
      this.#contacts.set(contactKey(city, key), record);
    }
  }

  /** A fixed asset is known by its place, a mobile one by its reference, else by its type alone. */
  asset(record: number, type: AssetType, place: string): number | undefined {
    return this.#assetsOf(record, type).at(place);
  }

  learnAsset(record: number, type: AssetType, place: string, asset: number): void {
    this.#assetsOf(record, type).add(place, asset);
    this.#store.addAsset(record, type, place, asset);
  }

  #byContact({ city, contacts }: MatchSubject): number | undefined {
    for (const key of contacts) {
      const record = this.#recordOfContact(city, key);
      if (record !== undefined) return record;
    }
    return undefined;
  }

  #named({ city, nameKey }: MatchSubject): Anchors {
    return this.#names.take(`${city} ${nameKey}`, () => {
      const anchors = new Anchors();
      for (const { place, record } of this.#store.namesIn(city, nameKey)) anchors.add(place, record);
      return anchors;
    });
  }

  #recordOfContact(city: string, key: Buffer): number | undefined {
    const cacheKey = contactKey(city, key);
    const cached = this.#contacts.get(cacheKey);
    if (cached !== undefined) return cached;
    const record = this.#store.recordOfContact(city, key);
    return record === undefined ? undefined : this.#contacts.set(cacheKey, record);
  }

  #assetsOf(record: number, type: AssetType): Anchors {
    return this.#assets.take(record * TYPES.length + TYPES.indexOf(type), () => {
      const anchors = new Anchors();
      for (const { place, asset } of this.#store.assetsOf(record, type)) anchors.add(place, asset);
      return anchors;
    });
  }
}

/** For a mobile asset the place says nothing, and one record of that name in the city is taken to be its owner's. */
function byName({ place, brand, mobile }: MatchSubject, named: Anchors): number | undefined {
  if (named.ids.size === 0) return undefined;
  const here = place === NOWHERE ? undefined : named.at(place);
  if (here !== undefined) return here;
  return brand || (mobile && named.ids.size === 1) ? Math.min(...named.ids) : undefined;
}

function contactKey(city: string, key: Buffer): string {
  return `${city} ${key.toString("latin1")}`;
}
