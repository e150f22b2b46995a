import { gridDisk } from "h3-js";
import { AssetType } from "../../contract/enums.ts";
import { BoundedCache } from "../../kernel/bounded-cache.ts";
import type { ContactClaim, IntakeStore } from "../../ledger/matching/intake-store.ts";
import { isGenericName } from "../lines/name.ts";
import { areNearNames } from "../opt-outs/judge.ts";
import {
  type Anchor,
  Anchors,
  BUILT_IN,
  CONFIRMED,
  isCell,
  type Level,
  NOWHERE,
  TAUGHT,
  TAUGHT_LEVELS,
  Twins,
  UNTAUGHT,
} from "../places/anchors.ts";

/** The features of a sighting that matching uses. `place` is the anchor key: a cell, a mobile asset's reference, or nowhere. */
export interface MatchSubject {
  readonly city: string;
  readonly nameKey: string;
  readonly place: string;
  readonly lat: number;
  readonly lng: number;
  readonly mobile: boolean;
  readonly brand: boolean;
  /** Whose sighting it is; undefined for a built-in source. */
  readonly principal?: string | undefined;
  /** Keyed hashes; none for a sighting that does not count. */
  readonly contacts: readonly Buffer[];
}

/** A known record, and who taught it. */
export interface Found {
  readonly record: number;
  readonly known: Level;
}

/** Records that a new one might be the same as: by a contact, or by a near name at its place alone, which may be one reader's mistake. */
export interface Proposals {
  readonly sharing: readonly number[];
  readonly near: readonly number[];
}

/** What a row says of a record. */
export interface Lesson extends Found {
  readonly subject: MatchSubject;
  readonly row: number;
  readonly level: Level;
  /** Who claims the contacts; undefined for a built-in source, which claims none. */
  readonly principal: string | undefined;
}

/** What a row says of an asset. */
export type AssetLesson = Pick<Lesson, "record" | "row" | "level" | "principal"> & { readonly asset: number };

/** The level of a row that counts and that nothing sets aside, or of another one; built-in sources have no principals. */
export function levelOf(teaches: boolean, principal: string | undefined): Level {
  if (!teaches) return UNTAUGHT;
  return principal === undefined ? BUILT_IN : TAUGHT;
}

/** The claim of a reviewer, which needs no second one. */
export const REVIEWER = "reviewer";

/** Record -> the principals that say that a contact is its own; the record that was claimed first comes first. */
type Claims = Map<number, string[]>;

const TYPES = AssetType.options;
const CLAIMS = 2; // principals that teach a contact
const MAX_PROPOSALS = 5;
const CACHED_NAMES = 50_000;
const CACHED_CONTACTS = 50_000;
const CACHED_ASSETS = 200_000;

/**
 * Matches sightings to records and assets, and learns from them (docs/methodology.md, "What decides"). What counting rows taught comes
 * first, that of registered sources before that of built-in ones; what nothing counts for is found by its exact name and place alone, and
 * a brand by its name. Owns caches, so it must not be used after a failed transaction.
 */
export class Matcher {
  readonly #store: IntakeStore;
  readonly #twins: Twins;
  readonly #names = new BoundedCache<string, Anchors>(CACHED_NAMES);
  readonly #contacts = new BoundedCache<string, Claims>(CACHED_CONTACTS);
  readonly #assets = new BoundedCache<number, Anchors>(CACHED_ASSETS);

  constructor(store: IntakeStore) {
    this.#store = store;
    this.#twins = new Twins(store);
  }

  find(subject: MatchSubject): Found | undefined {
    const confirmed = this.#here(subject, this.#named(subject), CONFIRMED);
    if (confirmed !== undefined) return { record: confirmed, known: TAUGHT };
    for (const known of TAUGHT_LEVELS) {
      const record = this.#taughtBy(subject, known);
      if (record !== undefined) return { record, known };
    }
    const named = this.#named(subject);
    const record =
      named.among(subject.place, UNTAUGHT) ?? (subject.brand ? named.all(UNTAUGHT)[0] : undefined);
    return record === undefined ? undefined : { record, known: UNTAUGHT };
  }

  /** The record that anything that counts taught. */
  taught(subject: MatchSubject): number | undefined {
    const found = this.find(subject);
    return found?.known === UNTAUGHT ? undefined : found?.record;
  }

  /** Name and place first, then name and contact, then near name, place and contact together. */
  #taughtBy(subject: MatchSubject, level: Level): number | undefined {
    const named = this.#named(subject);
    const here = this.#here(subject, named, level);
    return (
      here ??
      byKind(subject, named.all(level)) ??
      (level === TAUGHT ? this.#byContact(subject, named) : undefined) ??
      withoutReference(subject, named, level)
    );
  }

  /** Records that registered sources taught and that a new one might be the same as. */
  proposals(subject: MatchSubject): Proposals {
    const { city, nameKey, place, contacts } = subject;
    // Two places that are called "Restaurant" are not candidates for a match.
    if (isGenericName(nameKey)) return { sharing: [], near: [] };
    const named = this.#named(subject);
    const sharing = contacts.flatMap((key) =>
      [...this.#claims(city, key)]
        .filter(
          ([record, own]) =>
            (named.of(record)?.level ?? UNTAUGHT) >= TAUGHT || (isTaught(own) && this.#stands(record, place)),
        )
        .map(([record]) => record),
    );
    const near = isCell(place)
      ? this.#store
          .namesAt(gridDisk(place, 1))
          .filter((known) => areNearNames(known.nameKey, nameKey))
          .map(({ record }) => record)
      : [];
    const proposed = [...new Set([...sharing, ...near])].slice(0, MAX_PROPOSALS);
    return {
      sharing: proposed.filter((record) => sharing.includes(record)),
      near: proposed.filter((record) => !sharing.includes(record)),
    };
  }

  /**
   * Other records of the name of a sighting that registered sources taught within two cells of it: what they are called and where they are
   * does not tell them apart.
   */
  namesakes(subject: MatchSubject, record: number): number[] {
    const { nameKey, place, brand } = subject;
    if (brand || !isCell(place) || isGenericName(nameKey)) return [];
    const others = this.#named(subject).allAt(place, TAUGHT);
    return others
      .filter((other) => other !== record && !this.#twins.areApart(record, other))
      .slice(0, MAX_PROPOSALS);
  }

  /**
   * Remembers the name of a record, its place and its contacts, as the rows of the highest level say it. Returns whether it stands
   * somewhere where it did not, or was confirmed there.
   */
  learn({ subject, record, row, level, known, principal }: Lesson): boolean {
    if (level < known) return false;
    if (level > known) this.#forget(record);
    const { city, nameKey, place } = subject;
    const named = this.#named(subject);
    const said = { id: record, place, row, level, principal };
    const isNew = stand(named, said, named.covers(record, place), {
      add: (as) => this.#store.addName(city, nameKey, { place, record, row, level: as, principal }),
      confirm: (at) => this.#store.confirmName(city, nameKey, record, at),
    });
    if (level === UNTAUGHT) return isNew;
    if (principal !== REVIEWER) this.#twins.learn(record, subject);
    if (principal === undefined) return isNew;
    for (const key of subject.contacts) this.#claim(city, key, { record, principal }, row);
    return isNew;
  }

  /** The assets of a record at a place, the one to take first: taught ones before others, and several only where vehicles have no reference. */
  assets(record: number, type: AssetType, subject: MatchSubject): number[] {
    const anchors = this.#assetsOf(record, type);
    if (subject.place === NOWHERE) return anchors.atNowhere();
    const known = anchors.at(subject.place, subject);
    return known === undefined ? [] : [known];
  }

  /** An asset stands where the first row of the highest level saw it. */
  learnAsset(type: AssetType, place: string, { record, row, asset, level, principal }: AssetLesson): void {
    const anchors = this.#assetsOf(record, type);
    const known = anchors.of(asset);
    const isKnown = known !== undefined && known.level >= level;
    if (!isKnown) {
      anchors.remove(asset);
      this.#store.forgetAsset(record, type, asset);
    }
    stand(anchors, { id: asset, place, row, level, principal }, isKnown, {
      add: (as) => this.#store.addAsset(record, type, { asset, place, row, level: as, principal }),
      confirm: (at) => this.#store.confirmAsset(record, type, asset, at),
    });
  }

  #here(subject: MatchSubject, named: Anchors, level: Level): number | undefined {
    if (subject.place === NOWHERE) return undefined;
    const found = named.among(subject.place, level, subject);
    if (found === undefined || !this.#twins.has(found)) return found;
    const twins = this.#twins.among(named.allAt(subject.place, level === CONFIRMED ? TAUGHT : level), found);
    return this.#sharing(subject, twins) ?? this.#twins.nearest(twins, subject);
  }

  #byContact(subject: MatchSubject, named: Anchors): number | undefined {
    const { contacts, nameKey, place } = subject;
    if (contacts.length === 0) return undefined;
    const known = this.#sharing(subject, named.all(TAUGHT));
    if (known !== undefined || !isCell(place)) return known;
    const near = this.#recordsOf(subject).filter((record) =>
      this.#placesOf(record, (key) => areNearNames(key, nameKey)).has(place),
    );
    return near[0];
  }

  /** The first of these records that has a contact of the sighting. */
  #sharing(subject: MatchSubject, records: readonly number[]): number | undefined {
    const sharing = new Set(this.#recordsOf(subject));
    return records.find((record) => sharing.has(record));
  }

  /** The records that were taught a contact of a sighting, the first claimed first. */
  #recordsOf({ city, contacts }: MatchSubject): number[] {
    const claims = contacts.flatMap((key) => [...this.#claims(city, key)]);
    return claims.filter(([, own]) => isTaught(own)).map(([record]) => record);
  }

  /** Whether a record was taught at a place, under whatever name. */
  #stands(record: number, place: string): boolean {
    return isCell(place) && this.#placesOf(record, () => true).has(place);
  }

  /** The cells at and around which a record was taught under some names. */
  #placesOf(record: number, isMeant: (nameKey: string) => boolean): Set<string> {
    const names = this.#store
      .namesOf(record)
      .filter(({ nameKey, place }) => isCell(place) && isMeant(nameKey));
    return new Set(names.flatMap(({ place }) => gridDisk(place, 1)));
  }

  #claim(city: string, key: Buffer, { record, principal }: ContactClaim, row: number): void {
    const claims = this.#claims(city, key);
    const own = claims.get(record) ?? [];
    if (own.includes(principal)) return;
    if (principal !== REVIEWER && own.filter((each) => each !== REVIEWER).length >= CLAIMS) return;
    claims.set(record, [...own, principal]);
    this.#store.addClaim(city, key, { record, principal }, row);
  }

  #forget(record: number): void {
    for (const { city, nameKey } of this.#store.forgetNames(record))
      this.#names.get(`${city} ${nameKey}`)?.remove(record);
  }

  #named({ city, nameKey }: Pick<MatchSubject, "city" | "nameKey">): Anchors {
    return this.#names.take(`${city} ${nameKey}`, () => {
      const anchors = new Anchors();
      for (const { place, record, row, level, principal } of this.#store.namesIn(city, nameKey))
        anchors.add(place, { id: record, row, level, principal });
      return anchors;
    });
  }

  #claims(city: string, key: Buffer): Claims {
    return this.#contacts.take(`${city} ${key.toString("latin1")}`, () => {
      const claims: Claims = new Map();
      for (const { record, principal } of this.#store.claimsOf(city, key))
        claims.set(record, [...(claims.get(record) ?? []), principal]);
      return claims;
    });
  }

  #assetsOf(record: number, type: AssetType): Anchors {
    return this.#assets.take(record * TYPES.length + TYPES.indexOf(type), () => {
      const anchors = new Anchors();
      for (const { place, asset, row, level, principal } of this.#store.assetsOf(record, type))
        anchors.add(place, { id: asset, row, level, principal });
      return anchors;
    });
  }
}

/** Where anchors are kept. */
interface Shelf {
  add(level: Level): void;
  confirm(place: string): void;
}

/** A thing stands where it was first taught, and where the first row of a second principal saw it. Returns whether that is new. */
function stand(
  anchors: Anchors,
  { place, level, ...thing }: Anchor & { readonly place: string },
  isKnown: boolean,
  shelf: Shelf,
): boolean {
  const add = (as: Level) => {
    anchors.add(place, { ...thing, level: as });
    shelf.add(as);
  };
  const { id, principal } = thing;
  if (!isKnown) add(level);
  if (level !== TAUGHT || typeof principal !== "string" || !isCell(place)) return !isKnown;
  const confirmed = anchors.confirm(id, place, principal);
  for (const each of confirmed) shelf.confirm(each);
  if (confirmed.length > 0 && !confirmed.includes(place)) add(CONFIRMED);
  return !isKnown || confirmed.length > 0;
}

/** Whether two principals, or a reviewer, say that a contact is a record's. */
function isTaught(principals: readonly string[]): boolean {
  return principals.length >= CLAIMS || principals.includes(REVIEWER);
}

/** A brand is one record of a city. A vehicle with a new reference is taken to be of the one record of its name. */
function byKind(
  { place, brand, mobile }: MatchSubject,
  [first, ...others]: readonly number[],
): number | undefined {
  if (!brand && !(mobile && place !== NOWHERE)) return undefined;
  return brand || others.length === 0 ? first : undefined;
}

/** Vehicles of one name without references are of one record, whatever else has that name by now. */
function withoutReference({ place }: MatchSubject, named: Anchors, level: Level): number | undefined {
  if (place !== NOWHERE) return undefined;
  const known = named.among(NOWHERE, level);
  if (known !== undefined) return known;
  const [first, ...others] = named.all(level);
  return others.length === 0 ? first : undefined;
}
