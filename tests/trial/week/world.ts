import type { Home } from "../../../src/kernel/home.ts";
/** A file that comes in; CSV has a column map in the same folder. */
export interface Batch {
  readonly file: string;
  readonly map?: string;
}

/** What a week is made of: where was looked, what is known before it, and what each day brings. */
export interface World {
  readonly gazetteer?: string; // a dump in place of the catalogue that comes with the program
  /** Options of `presence city add`. */
  readonly cities: readonly (readonly string[])[];
  /** Registers the sources of the lines, once the cities are there; without it the lines name none. */
  readonly register?: (home: Home, at: string) => void;
  readonly firstDay: string; // a date, UTC
  readonly before: readonly Batch[];
  readonly days: readonly (readonly Batch[])[];
  /** Days, from 1, that a night follows: others are worked through, and published with the next. */
  readonly nights: readonly number[];
}
