import type { CurrentStatus } from "../../contract/enums.ts";
import { NoParams } from "../../contract/params.ts";
import { type Incident, StatusResponse } from "../../contract/service/status.ts";
import { SCHEMA } from "../../contract/versions.ts";
import {
  type Lateness,
  type LatenessLevel,
  type ReleasePromise,
  releaseLateness,
} from "../../kernel/release-lateness.ts";
import { isoDate, isoTime, SECOND_MS } from "../../kernel/time.ts";
import type { ReleaseRow, SealRow } from "../../snapshot/rows.ts";
import { defineResource, type ReadContext } from "../define.ts";
import { timeOrNull } from "../plain-values.ts";
import { releasePromise } from "./release-promise.ts";
import { lateSeals, sealStatus } from "./seal-status.ts";
import { silentSources } from "./silent-sources.ts";
import { lateReleaseId, operatorIncidents } from "./status-incidents.ts";

export const systemStatus = defineResource({
  operationId: "getPublicSystemStatus",
  path: "/api/v1/status",
  summary: "Get the status of the current release and of the ledger",
  description:
    "`current_status` applies to the time of the request: the server compares the clock with the due time of the next release (`promise`). Without a server, the file from the build answers and states how long it is valid (`valid_until`). All other fields are as of the build. `latest_externally_sealed_row` is the last row covered by a verified external proof; `latest_sealed_row` is the last row covered by a checkpoint of the service.",
  pathParams: {},
  query: NoParams.shape,
  wire: StatusResponse,
  example: { path: {}, query: {} },
  errors: [400],
  dependsOnTime: true,
  enumerate: () => [{}],
  load(context) {
    const { snapshot } = context;
    const release = snapshot.release();
    const freshness = releaseFreshness(context);
    return {
      schema: SCHEMA.status,
      snapshot_id: release.releaseId,
      data_as_of: isoTime(release.asOf),
      metric_scope: "public",
      snapshot_type: "release",
      ...freshnessFields(freshness),
      processing: processing(release, freshness.promise, snapshot.seals()),
      incidents: [
        ...lateRelease(freshness),
        ...lateSeals(release),
        ...(freshness.promise === null ? [] : silentSources(snapshot.sources(), release.asOf)),
        ...operatorIncidents(snapshot.incidents()),
      ],
    };
  },
});

/** `at`: ms, the time to which the status applies. */
type Freshness = ReturnType<typeof releaseFreshness>;

const STATUS_OF_LATENESS: Readonly<Record<LatenessLevel, CurrentStatus>> = {
  on_time: "operational",
  late: "degraded",
  stale: "stale",
};
const FROM_BEST: readonly CurrentStatus[] = ["operational", "degraded", "stale"];

/** The worse of seal lateness and release lateness. A demonstration keeps the status of its last seal. */
function releaseFreshness({ snapshot, now, isReleaseHeld = false }: ReadContext) {
  const release = snapshot.release();
  const promise = releasePromise(release);
  const at = promise === null ? release.asOf : Math.max(now ?? release.asOf, release.asOf);
  const lateness = releaseLateness(promise, at);
  const statuses = [STATUS_OF_LATENESS[lateness.level], sealStatus(release)];
  const status = FROM_BEST.findLast((each) => statuses.includes(each)) ?? "stale";
  const isUnderReview = isReleaseHeld && lateness.level !== "on_time";
  return { promise, at, lateness, status, isUnderReview };
}

/** Fields that accompany every status. */
export function statusFields(context: ReadContext) {
  const { current_status, status_as_of, valid_until, status_note } = freshnessFields(
    releaseFreshness(context),
  );
  return { current_status, status_as_of, valid_until, status_note };
}

function freshnessFields({ promise, at, lateness, status, isUnderReview }: Freshness) {
  return {
    current_status: status,
    status_as_of: isoTime(at),
    valid_until: timeOrNull(statusChangesAt(promise, lateness, status) ?? null),
    promise: promise && {
      next_release_due: isoTime(promise.nextReleaseDue),
      grace_seconds: promise.graceSeconds,
      stale_after_seconds: promise.staleAfterSeconds,
    },
    under_review: isUnderReview,
    status_note: statusNote(promise, lateness) + (isUnderReview ? UNDER_REVIEW : ""),
  };
}

/** No reason and no figure: what is held is not published. */
const UNDER_REVIEW = " It is under review.";

// Late seals already make it `degraded`, so a late release then changes nothing.
function statusChangesAt(
  promise: ReleasePromise | null,
  { level, changesAt }: Lateness,
  status: CurrentStatus,
): number | undefined {
  if (status === "stale" || changesAt === undefined) return undefined;
  const isNoChange = status === "degraded" && level === "on_time";
  return isNoChange ? releaseLateness(promise, changesAt + 1).changesAt : changesAt;
}

function statusNote(promise: ReleasePromise | null, { lateSince }: Lateness): string {
  if (promise === null)
    return "This is a demonstration without further releases. Its status is that of its last seal.";
  const due = `The next release is due at ${isoTime(promise.nextReleaseDue)}`;
  if (lateSince !== undefined) return `${due} and has been late since ${isoTime(lateSince)}.`;
  return `${due} and counts as late from ${isoTime(promise.nextReleaseDue + promise.graceSeconds * SECOND_MS)}.`;
}

function processing(release: ReleaseRow, promise: ReleasePromise | null, newestFirst: readonly SealRow[]) {
  const proven = newestFirst.find(({ externalProof }) => externalProof.status === "verified");
  return {
    latest_live_ledger_row: release.latestLiveRow === 0 ? null : release.latestLiveRow,
    latest_live_ledger_at: timeOrNull(release.latestLiveAt),
    latest_sealed_row: release.lastSealedRow === 0 ? null : release.lastSealedRow,
    latest_seal_at: timeOrNull(release.lastSealAt),
    latest_externally_sealed_row: proven?.manifest.last_observation_id ?? null,
    latest_external_seal_at: timeOrNull(proven?.externalProof.verifiedAt ?? null),
    rows_awaiting_next_checkpoint: release.latestLiveRow - release.lastSealedRow + release.pendingLines,
    next_checkpoint_time: timeOrNull(promise?.nextReleaseDue ?? null),
  };
}

/** The incident of an overdue release, which depends on the clock. */
function lateRelease({ promise, lateness: { lateSince }, isUnderReview }: Freshness): Incident[] {
  if (promise === null || lateSince === undefined) return [];
  return [
    {
      id: lateReleaseId(isoDate(promise.nextReleaseDue)),
      title: `The next release is late${isUnderReview ? ", under review" : ""}`,
      status: "open",
      started_at: isoTime(lateSince),
      resolved_at: null,
      message: `The next release was due at ${isoTime(promise.nextReleaseDue)} and has not been published. All data is as of the previous release.${isUnderReview ? UNDER_REVIEW : ""}`,
    },
  ];
}
