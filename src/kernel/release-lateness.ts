/** Runs in browsers too, so it imports nothing. Instants are milliseconds since the Unix epoch. */

/** A release's promise about the next one, as published with the status. */
export interface ReleasePromise {
  readonly nextReleaseDue: number;
  readonly graceSeconds: number; // from due to late
  readonly staleAfterSeconds: number; // from due to stale; more than the grace
}

export type LatenessLevel = "on_time" | "late" | "stale";

export interface Lateness {
  readonly level: LatenessLevel;
  /** When the release became late; undefined while it is on time. */
  readonly lateSince: number | undefined;
  /** When the level changes without a new release; undefined: never. */
  readonly changesAt: number | undefined;
}

/** How late the next release is at `now`. Without a promise it is never late. */
export function releaseLateness(promise: ReleasePromise | null, now: number): Lateness {
  if (promise === null) return { level: "on_time", lateSince: undefined, changesAt: undefined };
  const lateFrom = promise.nextReleaseDue + promise.graceSeconds * 1000;
  const staleFrom = promise.nextReleaseDue + promise.staleAfterSeconds * 1000;
  if (now <= lateFrom) return { level: "on_time", lateSince: undefined, changesAt: lateFrom };
  if (now <= staleFrom) return { level: "late", lateSince: lateFrom, changesAt: staleFrom };
  return { level: "stale", lateSince: lateFrom, changesAt: undefined };
}
