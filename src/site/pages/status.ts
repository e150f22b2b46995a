import { duration } from "../../render/words/format.ts";
import { systemStatus } from "../../resources/service/system-status.ts";
import { SURFACES } from "../../resources/surfaces.ts";
import type { Site } from "../site.ts";

const SECOND_MS = 1000;

/** Data of the status page, as of the build and independent of the clock. */
export function statusPage({ context }: Site) {
  const status = systemStatus.read(context, {}, {});
  const { latest_seal_at } = status.processing;
  const { promise, status_as_of } = status;
  const isDemo = promise === null;
  return {
    status,
    isDemo,
    until: status.valid_until,
    /** Attributes for the page's script, which compares the promise with the reader's clock. */
    promise:
      promise === null
        ? {}
        : {
            "data-next-release-due": promise.next_release_due,
            "data-grace-seconds": promise.grace_seconds,
            "data-stale-after-seconds": promise.stale_after_seconds,
            "data-status-as-of": status_as_of,
          },
    lag: latest_seal_at === null ? null : duration(secondsBetween(latest_seal_at, status.data_as_of)),
    surfaces: SURFACES,
  };
}

/** Difference of two ISO times in whole minutes. */
function secondsBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / SECOND_MS / 60) * 60;
}
