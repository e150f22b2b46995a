import type { Log } from "../../kernel/log.ts";
import {
  type ReleaseStore,
  releaseName,
  type ServedFiles,
  type ServedRelease,
} from "../../resources/release-store.ts";

/**
 * The release being served. `refresh` may close the snapshot of the previous one, so take `current` again after an await
 * before reading its snapshot. The files of a release may be deleted at any time after a newer one was published.
 */
export interface ReleaseSource {
  readonly current: ServedRelease | undefined;
  /** See ReleaseStore. */
  readonly filesOnly: ServedFiles | undefined;
  /** Looks for a newer release now; returns whether there was one. Never throws. */
  refresh(): boolean;
}

/** Opens the first release. Throws OperatorError unless its files at least can be served. */
export function openFirst(store: ReleaseStore, log: Log): void {
  try {
    store.refresh();
  } catch (error) {
    if (store.filesOnly === undefined) throw error;
    logRefusal(store, log, error);
  }
}

/** Logs new and unreadable releases. While a release is unreadable, the previous one stays in service. */
export function loggedReleases(store: ReleaseStore, log: Log): ReleaseSource {
  return {
    get current() {
      return store.current;
    },
    get filesOnly() {
      return store.filesOnly;
    },
    refresh() {
      try {
        const isNew = store.refresh();
        if (isNew && store.current !== undefined)
          log.info("release_picked_up", { release: releaseName(store.current) });
        return isNew;
      } catch (error) {
        logRefusal(store, log, error);
        return false;
      }
    },
  };
}

function logRefusal({ filesOnly }: ReleaseStore, log: Log, error: unknown): void {
  const event = filesOnly === undefined ? "release_refused" : "release_files_only";
  log.error(event, { fault: error instanceof Error ? error.message : String(error) });
}
