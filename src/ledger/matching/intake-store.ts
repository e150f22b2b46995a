/**
 * What intake looks up and remembers about earlier lines. Writes commit with the rows of the same transaction, and everything here
 * can be derived from rows again. An interface, so that a test can make any operation fail. Keys are keyed hashes.
 */
import type { SourceType } from "../../contract/enums.ts";
import type { NewLook } from "../looks/waiting-looks.ts";
import type { CityDetails } from "../rows/rows.ts";
import type { OptOutSource } from "./opt-out-list.ts";

export interface SourceRef {
  readonly row: number | null; // null: the line is pending, or was dismissed or deleted
  readonly content: Buffer; // keyed hash of the line
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

  /** Records that were seen under a name in a city, each with the place, in the order of the records. */
  namesIn(city: string, nameKey: string): { place: string; record: number }[];
  hasName(city: string, nameKey: string): boolean;
  /** Every place of a city at which something was seen. */
  placesIn(city: string): string[];
  addName(city: string, nameKey: string, place: string, record: number): void;
  recordOfContact(city: string, key: Buffer): number | undefined;
  /** The record that was first seen with a contact keeps it. */
  addContact(city: string, key: Buffer, record: number): void;
  /** In the order of the assets. */
  assetsOf(record: number, type: string): { place: string; asset: number }[];
  addAsset(record: number, type: string, place: string, asset: number): void;
  /** The sightings of a vehicle next before and next after an instant (ms), that instant included in both. */
  vehicleSeenAround(asset: number, instant: number): VehicleSighting[];
  addVehicleSighting(asset: number, row: number, sighting: VehicleSighting): void;
  /** After a merge: whatever matched `record` matches `into`. */
  repoint(record: number, into: number): void;
  /** Versions of recognition models whose names may be published, by source type. */
  recognitionModels(): { sourceType: string; version: string }[];
  allowRecognitionModel(sourceType: string, version: string): void;
  forbidRecognitionModel(sourceType: string, version: string): void;

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
