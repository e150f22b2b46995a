import { DAY_MS } from "../../kernel/time.ts";
import { CLOCK_MS, FRAME_MS, INDEPENDENCE } from "../parameters.ts";
import { type CheckCode, type EnteringTrace, isWithin, type Registry } from "../trace.ts";

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

/**
 * The observation is dated long before it was received, or after. Limits how far an observer can backdate: days of the
 * past cannot be filled in later.
 */
export const clock: RowCheck = {
  code: "clock",
  start: () => (trace) => {
    if (!hasOwnTime(trace)) return false;
    return trace.instant < trace.acceptedDay - CLOCK_MS || trace.instant >= trace.acceptedDay + DAY_MS;
  },
};

/** What is kept of a row to tell whether a later one may show the same picture. */
export type Frame = Pick<EnteringTrace, "observer" | "instant" | "lat" | "lng" | "asset">;

/** Whether two rows are one look at two assets: one picture of a street shows several signs. */
export function isSameFrame(first: Frame, second: Frame): boolean {
  return (
    first.observer === second.observer &&
    first.asset !== second.asset &&
    Math.abs(first.instant - second.instant) <= FRAME_MS &&
    isWithin(INDEPENDENCE.frame.meters, first, second)
  );
}

/** Whether an observer took a second picture of one sign on the spot: `same_look` decides about that. */
export function isSecondPicture(first: Frame, second: Frame): boolean {
  return (
    first.observer === second.observer &&
    first.asset === second.asset &&
    Math.abs(first.instant - second.instant) <= FRAME_MS
  );
}

/** The operator suspended the observer. */
export const suspended: RowCheck = {
  code: "suspended",
  start: (registry) => (trace) => registry.observers.get(trace.observer)?.isSuspended ?? false,
};

/** The principal runs the record, its brand or its vehicles. */
export const affiliated: RowCheck = {
  code: "affiliated",
  start: (registry) => (trace) => registry.isAffiliated(trace.principal, trace.record),
};

/** The source cannot see assets of this type. The only check that rests on public data alone. */
export const cannotSee: RowCheck = {
  code: "cannot_see",
  start: (registry) => (trace) => !registry.canSee(trace.source, trace.assetType),
};
