import type { ReleasePromise } from "../../kernel/release-lateness.ts";
import { DAY_MS, HOUR_MS, SECOND_MS, utcDayStart } from "../../kernel/time.ts";
import type { ReleaseRow } from "../../snapshot/rows.ts";

// A nightly build starts shortly after midnight UTC, takes some time, and may be repeated after a failure.
const GRACE_SECONDS = (6 * HOUR_MS) / SECOND_MS;
const STALE_AFTER_SECONDS = (2 * DAY_MS) / SECOND_MS;

/** Due time of the next release: the end of the release's UTC day. Null for a demonstration, which has no next release. */
export function releasePromise({
  environment,
  asOf,
}: Pick<ReleaseRow, "environment" | "asOf">): ReleasePromise | null {
  if (environment === "demo") return null;
  return {
    nextReleaseDue: utcDayStart(asOf) + DAY_MS,
    graceSeconds: GRACE_SECONDS,
    staleAfterSeconds: STALE_AFTER_SECONDS,
  };
}
