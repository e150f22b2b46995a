import type { Log } from "../../kernel/log.ts";
import { type ReleaseStore, releaseName, type ServedRelease } from "../../resources/release-store.ts";

/**
 * The release being served. `refresh` may close the snapshot of the previous one, so take `current` again after an await
 * before reading its snapshot. The files of a release may be deleted at any time after a newer one was published.
 */
export interface ReleaseSource {
  readonly current: ServedRelease | undefined;
  /** Looks for a newer release now; returns whether there was one. Never throws. */
  refresh(): boolean;
}

/** Logs new and unreadable releases. While a release is unreadable, the previous one stays in service. */
export function loggedReleases(store: ReleaseStore, log: Log): ReleaseSource {
  return {
    get current() {
      return store.current;
    },
    refresh() {
      try {
        const isNew = store.refresh();
        if (isNew && store.current !== undefined)
          log.info("release_picked_up", { release: releaseName(store.current) });
        return isNew;
      } catch (error) {
        log.error("release_refused", { fault: error instanceof Error ? error.message : String(error) });
        return false;
      }
    },
  };
}
