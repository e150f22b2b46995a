import type { CurrentStatus } from "../contract/enums.ts";
import { NoParams } from "../contract/params.ts";
import { StatusResponse } from "../contract/status.ts";
import { SCHEMA } from "../contract/versions.ts";
import { DAY_MS, HOUR_MS, isoDate, isoTime, utcDayStart } from "../kernel/time.ts";
import type { ReleaseRow, SealRow } from "../snapshot/rows.ts";
import { defineResource } from "./define.ts";
import { timeOrNull } from "./plain-values.ts";
import { operatorIncidents } from "./status-incidents.ts";

/** A daily seal may be late by half a day before rows that wait for it make the service `degraded`. */
const DEGRADED_AFTER_MS = 36 * HOUR_MS;
const STALE_AFTER_MS = 3 * DAY_MS;

export const systemStatus = defineResource({
  operationId: "getPublicSystemStatus",
  path: "/api/v1/status",
  summary: "The release being served and the state of the ledger behind it",
  description:
    "As of the build of the release. `latest_externally_sealed_row` is the last row that a verified external proof covers; `latest_sealed_row` the last one under a checkpoint of the service itself.",
  pathParams: {},
  query: NoParams.shape,
  wire: StatusResponse,
  example: { path: {}, query: {} },
  errors: [400],
  enumerate: () => [{}],
  load({ snapshot }) {
    const release = snapshot.release();
    return {
      schema: SCHEMA.status,
      snapshot_id: release.releaseId,
      data_as_of: isoTime(release.asOf),
      metric_scope: "public",
      snapshot_type: "release",
      current_status: currentStatus(release),
      processing: processing(release, snapshot.seals()),
      incidents: [...lateSeals(release), ...operatorIncidents(snapshot.incidents(), release.asOf)],
    };
  },
});

function processing(release: ReleaseRow, newestFirst: readonly SealRow[]) {
  const proven = newestFirst.find(({ externalProof }) => externalProof.status === "verified");
  return {
    latest_live_ledger_row: release.latestLiveRow === 0 ? null : release.latestLiveRow,
    latest_live_ledger_at: timeOrNull(release.latestLiveAt),
    latest_sealed_row: release.lastSealedRow === 0 ? null : release.lastSealedRow,
    latest_seal_at: timeOrNull(release.lastSealAt),
    latest_externally_sealed_row: proven?.manifest.last_observation_id ?? null,
    latest_external_seal_at: timeOrNull(proven?.externalProof.verifiedAt ?? null),
    rows_awaiting_next_checkpoint: release.latestLiveRow - release.lastSealedRow,
    next_checkpoint_time: isoTime(utcDayStart(release.asOf) + DAY_MS),
  };
}

/** How late the seals are at `as_of`. A ledger without any seal has published nothing that could be current. */
export function currentStatus(release: ReleaseRow): CurrentStatus {
  const lag = release.lastSealAt === null ? Number.POSITIVE_INFINITY : release.asOf - release.lastSealAt;
  if (lag > STALE_AFTER_MS) return "stale";
  return lag > DEGRADED_AFTER_MS && release.latestLiveRow > release.lastSealedRow
    ? "degraded"
    : "operational";
}

/** The one incident that a release can see by itself: seals that do not come. */
function lateSeals(release: ReleaseRow) {
  if (currentStatus(release) === "operational" || release.lastSealAt === null) return [];
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
