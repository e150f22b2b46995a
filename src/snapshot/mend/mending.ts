/** A patch release mends the release before it after an erasure. */
import type { CarriedCity } from "./carried-city.ts";

export interface Mending {
  readonly releaseId: string; // of the release that is mended
  readonly treeSize: number; // of the nightly release, which the documents' citations name
  readonly lastSealedRow: number; // of the nightly release: later rows take effect at night
  readonly cities: ReadonlyMap<string, CarriedBy>; // by slug
}

export interface CarriedBy extends CarriedCity {
  /** The id of the city's content before; undefined where `treeSize` already says whether the city has changed. */
  readonly snapshotId: string | undefined;
}
