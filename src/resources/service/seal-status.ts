import type { CurrentStatus } from "../../contract/enums.ts";
import { DAY_MS, HOUR_MS, isoDate, isoTime } from "../../kernel/time.ts";
import type { ReleaseRow } from "../../snapshot/rows.ts";

/** A daily seal may be late by half a day before rows that wait for it make the service `degraded`. */
const DEGRADED_AFTER_MS = 36 * HOUR_MS;
const STALE_AFTER_MS = 3 * DAY_MS;

/** How late the seals were at `as_of`. A ledger without any seal has published nothing that could be current. */
export function sealStatus(release: ReleaseRow): CurrentStatus {
  const lag = release.lastSealAt === null ? Number.POSITIVE_INFINITY : release.asOf - release.lastSealAt;
  if (lag > STALE_AFTER_MS) return "stale";
  return lag > DEGRADED_AFTER_MS && release.latestLiveRow > release.lastSealedRow
    ? "degraded"
    : "operational";
}

/** The one incident that a release can see by itself: seals that do not come. */
export function lateSeals(release: ReleaseRow) {
  if (sealStatus(release) === "operational" || release.lastSealAt === null) return [];
  const startedAt = release.lastSealAt + DEGRADED_AFTER_MS;
  return [
    {
      id: `late-seal-${isoDate(startedAt)}`,
      title: "No new checkpoint",
      status: "open",
      started_at: isoTime(startedAt),
      resolved_at: null,
      message: `The last checkpoint was made at ${isoTime(release.lastSealAt)}. Later rows are not published yet.`,
    },
  ];
}
