import type { CheckCode, EnteringTrace, Registry } from "../trace.ts";

/** Remembers every row it is asked about, and says whether the row is to be set aside. */
export type RowTest = (trace: EnteringTrace, isSetAside: boolean) => boolean;

/** A check that judges each row by itself and by the rows before it, so no later row can change its answer. */
export interface RowCheck {
  readonly code: CheckCode;
  /** Starts without memory; the test is to see all rows in the order of entry. */
  start(registry: Registry): RowTest;
}

/** Whether a row has a time of day of its own observer: rows of collective sources and archives do not. */
export function hasOwnTime(trace: EnteringTrace): boolean {
  return !trace.isCollective && !trace.isArchive && !trace.isBareDate;
}
