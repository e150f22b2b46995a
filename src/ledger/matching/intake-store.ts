import type { SourceType } from "../../contract/enums.ts";
import type { NewLook } from "../looks/waiting-looks.ts";
import type { CityDetails } from "../rows/rows.ts";

/**
 * What intake remembers of opt-outs: keyed hashes alone, so the list names nobody. A fact is a name, a contact, an address, a
 * reference or a place; the words of an opted-out name are hashed under its opt-out's own id, so that equal words of two
 * opt-outs have nothing in common.
 */

/**
 * The effect of a fact that a line shares with an opt-out: `all` refuses the line whatever else it says, `own` refuses it if its name
 * is near, and `place` makes it wait for review if its name is near.
 */
export type OptOutWeight = "all" | "own" | "place";

export interface OptOutFact {
  readonly key: Buffer; // keyed hash of city, kind and value
  readonly optOut: Buffer;
  readonly weight: OptOutWeight;
  readonly assetType: string | null; // the only type of asset that it is about; null for all
  readonly expiresAt: number | null; // ms; null: it lasts
}

export interface OptOutWord {
  readonly optOut: Buffer;
  readonly name: number; // of the opt-out's names, from 0
  readonly word: number; // of the name's words, from 0; -1 for all of them written as one
  readonly key: Buffer; // keyed hash of the opt-out's id and a spelling of the word
}

/** What one opt-out adds to the list. */
export interface OptOutEntries {
  readonly names: readonly Buffer[]; // keyed hashes of (city, name key) that are refused in the whole city
  readonly facts: readonly OptOutFact[];
  readonly words: readonly OptOutWord[];
}

/** Where opt-outs are looked up: the ledger's tables, or the entries of one opt-out that is being planned. */
export interface OptOutSource {
  isOptedOut(key: Buffer): boolean;
  /** Without those that have expired at `now` (ms). */
  optOutFacts(key: Buffer, now: number): readonly OptOutFact[];
  optOutWords(optOut: Buffer): readonly OptOutWord[];
  hasOptOuts(): boolean;
}

/**
 * What intake looks up and remembers about earlier lines. Writes commit with the rows of the same transaction, and everything here
 * can be derived from rows again. An interface, so that a test can make any operation fail. Keys are keyed hashes.
 */

export interface SourceRef {
  readonly row: number | null; // null: the line is pending, or was dismissed or deleted
  readonly content: Buffer; // keyed hash of the line
}

/** What stands at a place; `row` brought it there. */
interface Placed {
  readonly place: string;
  readonly row: number;
  readonly level: 0 | 1 | 2 | 3; // `Level` of intake: nothing that counts, built-in sources, a registered one, two principals
  readonly principal: string | null | undefined; // null where it is of no registered source
}

export interface NamePlace extends Placed {
  readonly record: number;
}

export interface AssetPlace extends Placed {
  readonly asset: number;
}

export interface NameAt {
  readonly nameKey: string;
  readonly place: string;
  readonly record: number;
}

export interface ContactClaim {
  readonly record: number;
  readonly principal: string;
}

/** Sums over the rows of a cell, in millionths of a degree. */
export interface ApartPlace {
  readonly place: string;
  readonly lat: number;
  readonly lng: number;
  readonly rows: number;
}

/** Where a vehicle without a reference was seen. */
export interface VehicleSighting {
  readonly instant: number; // ms
  readonly lat: number;
  readonly lng: number;
}

/** An accepted line, as intake keeps it. */
export interface NewPending {
  readonly source: SourceType;
  readonly batch: string;
  readonly line: number;
  readonly day: number; // the UTC day of acceptance, ms
  readonly key: Buffer; // keyed hash of its source's reference
  readonly input: string; // the line, as JSON
}

export interface IndexedCity {
  readonly slug: string;
  readonly details: CityDetails;
}

export interface IntakeStore extends OptOutSource {
  sourceRef(key: Buffer): SourceRef | undefined;
  /** Remembers an accepted line, which has no row yet. */
  addSourceRef(key: Buffer, content: Buffer): void;
  /** The row that an accepted line has become. */
  setSourceRow(key: Buffer, row: number): void;
  /** Makes room for the references of the next lines. */
  settleSourceRefs(): void;
  /** Keeps an accepted line until its day is taken in. */
  addPending(line: NewPending): void;
  /** Keeps a look until its rows are written. */
  addLook(look: NewLook): void;
  /** The last solar day of a city for which no look row is to come. */
  looksClosed(city: string): number;
  /** A new batch: the lines of one input. Each name is given out once. */
  nextBatch(): string;

  /** Records of a name in a city, each with its places, in the order of the rows that brought them. */
  namesIn(city: string, nameKey: string): NamePlace[];
  hasName(city: string, nameKey: string): boolean;
  /** Every place of a city at which something was seen. */
  placesIn(city: string): string[];
  /** What registered sources taught of a record. */
  namesOf(record: number): NameAt[];
  /** What registered sources taught at these places, in the order of the records. */
  namesAt(places: readonly string[]): NameAt[];
  addName(city: string, nameKey: string, name: NamePlace): void;
  /** Two principals taught what stands there. */
  confirmName(city: string, nameKey: string, record: number, place: string): void;
  /** Forgets the names of a record and where it was seen, and returns them. */
  forgetNames(record: number): { city: string; nameKey: string }[];
  /** Who named a contact in counting rows, for which record, in the order of these rows. */
  claimsOf(city: string, key: Buffer): ContactClaim[];
  addClaim(city: string, key: Buffer, claim: ContactClaim, row: number): void;
  /** In the order of the rows that brought them. */
  assetsOf(record: number, type: string): AssetPlace[];
  addAsset(record: number, type: string, asset: AssetPlace): void;
  forgetAsset(record: number, type: string, asset: number): void;
  confirmAsset(record: number, type: string, asset: number, place: string): void;
  /** The sightings of a vehicle next before and next after an instant (ms), that instant included in both. */
  vehicleSeenAround(asset: number, instant: number): VehicleSighting[];
  addVehicleSighting(asset: number, row: number, sighting: VehicleSighting): void;
  /** Those of these rows, and of rows without private values. */
  forgetVehicleSightings(rows: readonly number[]): void;
  /** Records that are kept apart, each with the others. */
  apart(): { record: number; other: number }[];
  replaceApart(pairs: Iterable<{ record: number; other: number }>): void;
  /** Where counting rows saw a record that is kept apart from others. */
  apartPlaces(record: number): ApartPlace[];
  addApartPlace(record: number, at: Omit<ApartPlace, "rows">): void;
  /** The names, websites and industries of records are to be chosen anew. */
  unsettle(...records: readonly number[]): void;
  /** The same for records that nothing counted for until now. */
  unsettleAdopted(records: readonly number[]): void;
  /** In order; `adopted` is 1 for those that nothing counted for. */
  unsettled(): { record: number; adopted: 0 | 1 }[];
  settleNames(records: readonly number[]): void;
  /** Records that a new one is near to in name and place, until a second counting line says that it is called so. */
  addNear(record: number, others: readonly number[]): void;
  /** Records that wait for their second line. */
  nearWaiting(): number[];
  confirmNear(record: number): void;
  /** Pairs that a reviewer is to be asked about. */
  nearConfirmed(): { record: number; other: number }[];
  /** Forgets the pairs of these records that were confirmed. */
  settleNear(records: readonly number[]): void;
  /** Forgets the pairs that these records are in. */
  forgetNear(records: readonly number[]): void;
  /** Forgets everything that rows taught of records, but where vehicles were seen. */
  forgetTaught(records: readonly number[]): void;
  /** Registers a public id. Returns false if it was registered before. */
  takePublicId(key: Buffer): boolean;

  /** Registered cities in the order of registration. */
  cities(): IndexedCity[];
  addCity(slug: string, row: number, details: CityDetails): void;
  /** Another registration of a city: its area and its eligible cells. It keeps its place among the cities. */
  replaceCity(slug: string, row: number, details: CityDetails): void;
  /** The details of a city with its present list of eligible cells; `cities` has the whole area, of which these are a part. */
  eligibleDetails(slug: string): CityDetails | undefined;
  /** A list of eligible cells that takes the place of the one before. */
  replaceEligible(slug: string, row: number, details: CityDetails): void;
  /** Whether the ledger holds demonstration data; undefined before its first observation. */
  isSynthetic(): boolean | undefined;
  /** Has an effect once: the first observation decides. */
  setSynthetic(isSynthetic: boolean): void;
}
