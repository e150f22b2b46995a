import { basename } from "node:path";
import type { HeldRelease } from "../build/stages/held.ts";
import { currentRelease, type ReleaseKind, removeLeftovers, treeSizeOf } from "../build/stages/publish.ts";
import { OperatorError } from "../kernel/errors.ts";
import type { Home } from "../kernel/home.ts";
import { acquireLock, type Lock, LockHeld } from "../ledger/database/lock.ts";
import type { LedgerReader } from "../ledger/reader.ts";

/** Publishing is a sync of the disk and two renames. */
export const PUBLISH_WAIT_MS = 120_000;

/** The file of the lock under which releases are published and rows are erased. */
export const PUBLISH_LOCK = (home: Home) => `${home.night}/publish.lock`;

/** Does short work while no release is published and no row erased. */
export function withPublishLock<T>(home: Home, what: string, work: () => T): T {
  using _lock = acquireLock(PUBLISH_LOCK(home), what, PUBLISH_WAIT_MS);
  return work();
}

/** The files of the locks under which a release of each kind is built, one at a time. */
export const BUILD_LOCKS = {
  building: (home: Home) => `${home.night}/build.lock`,
  patching: (home: Home) => `${home.night}/patch.lock`,
} as const;

/** Removes what a killed build of the other kind left, because a whole release from before an erasure may lie in it. */
export function clearLeftovers(home: Home, kind: ReleaseKind): void {
  try {
    using _lock = acquireLock(BUILD_LOCKS[kind](home), "building a release");
    removeLeftovers(home, kind);
  } catch (error) {
    if (!(error instanceof LockHeld)) throw error; // it is running
  }
}

/** The ledger row of the newest erasure; 0 without one. */
export function lastErasure(reader: LedgerReader): number {
  return reader.redactions(Number.MAX_SAFE_INTEGER).at(-1)?.id ?? 0;
}

/**
 * Takes the lock under which one release at a time is published. Throws OperatorError when something was erased that the release, of a
 * tree of `treeSize` rows, was built from: it must never be published.
 */
export function lockToPublish(home: Home, reader: LedgerReader, treeSize: number): Lock {
  const lock = acquireLock(PUBLISH_LOCK(home), "publishing a release", PUBLISH_WAIT_MS);
  try {
    const erasure = lastErasure(reader);
    if (erasure > treeSize)
      throw new OperatorError(
        `row ${erasure} erased rows while this release of ${treeSize} rows was built, so it is not published: run again`,
      );
    reader.advanceHead(home.keys);
    return lock;
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Why the held release can no longer be approved; null: it can. */
export function heldProblem(
  home: Home,
  reader: LedgerReader,
  held: HeldRelease & { readonly directory: string },
): string | null {
  const erasure = lastErasure(reader);
  if (erasure > treeSizeOf(held.directory)) return `row ${erasure} erased rows after it was built`;
  const current = currentRelease(home);
  const published = current === undefined ? null : basename(current);
  return published === held.against ? null : "another release was published after it was built";
}
