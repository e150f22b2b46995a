import type { CurrentStatus } from "../../contract/enums.ts";
import type { Incident } from "../../contract/service/status.ts";
import { DAY_MS, HOUR_MS, isoDate, isoTime } from "../../kernel/time.ts";
import type { ReleaseRow } from "../../snapshot/rows.ts";

// A daily seal may be half a day late before waiting rows make the service `degraded`.
const DEGRADED_AFTER_MS = 36 * HOUR_MS;
const STALE_AFTER_MS = 3 * DAY_MS;

/** Lateness of the seals at `as_of`. A ledger without a seal has published nothing current. */
export function sealStatus(release: ReleaseRow): CurrentStatus {
  const lag = release.lastSealAt === null ? Number.POSITIVE_INFINITY : release.asOf - release.lastSealAt;
  if (lag > STALE_AFTER_MS) return "stale";
  return lag > DEGRADED_AFTER_MS &&
    (release.latestLiveRow > release.lastSealedRow || release.pendingLines > 0)
    ? "degraded"
    : "operational";
}

/** The incident that a release can detect itself: missing seals. */
export function lateSeals(release: ReleaseRow): Incident[] {
  if (sealStatus(release) === "operational" || release.lastSealAt === null) return [];
  const startedAt = release.lastSealAt + DEGRADED_AFTER_MS;
  return [
    {
      id: `late-seal-${isoDate(startedAt)}`,
      title: "No new checkpoint",
      status: "open",
      started_at: isoTime(startedAt),
      resolved_at: null,
      message: `The last checkpoint was created at ${isoTime(release.lastSealAt)}. Later rows are not published yet.`,
    },
  ];
}
