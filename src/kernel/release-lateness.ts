/** Runs in browsers too, so it imports nothing. Instants are milliseconds since the Unix epoch. */

/** What a release promises about the release after it. All of it is published with the status. */
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
  /** When the level changes if no release comes; undefined: it stays. */
  readonly changesAt: number | undefined;
}

/** How late the release after this one is at `now`. Without a promise nothing is ever late. */
export function releaseLateness(promise: ReleasePromise | null, now: number): Lateness {
  if (promise === null) return { level: "on_time", lateSince: undefined, changesAt: undefined };
  const lateFrom = promise.nextReleaseDue + promise.graceSeconds * 1000;
  const staleFrom = promise.nextReleaseDue + promise.staleAfterSeconds * 1000;
  if (now <= lateFrom) return { level: "on_time", lateSince: undefined, changesAt: lateFrom };
  if (now <= staleFrom) return { level: "late", lateSince: lateFrom, changesAt: staleFrom };
  return { level: "stale", lateSince: lateFrom, changesAt: undefined };
}
