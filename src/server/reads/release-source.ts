import type { ServedRelease } from "../../resources/release-store.ts";

/**
 * The release being served. `refresh` may close the snapshot of the one before, so nobody holds a release across an await
 * and then reads its snapshot: take `current` again. Its files may go at any time after a newer one was published.
 */
export interface ReleaseSource {
  readonly current: ServedRelease | undefined;
  /** Looks for a newer release now; returns whether there was one. Never throws. */
  refresh(): boolean;
}
