import type { CurrentStatus } from "../../contract/enums.ts";
import { SILENT_SOURCE_DAYS } from "../../contract/limits.ts";
import { type Incident, type OperatorIncident, StatusResponse } from "../../contract/service/status.ts";
import { SCHEMA } from "../../contract/versions.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import {
  type Lateness,
  type LatenessLevel,
  type ReleasePromise,
  releaseLateness,
} from "../../kernel/release-lateness.ts";
import { canonicalJson } from "../../kernel/text/json.ts";
import { DAY_MS, dayText, HOUR_MS, isoDate, isoTime, SECOND_MS, utcDayStart } from "../../kernel/time.ts";
import type { ReleaseRow, SealRow, SourceEntry } from "../../snapshot/rows.ts";
import { defineDocument, type ReadContext } from "../define.ts";
import { timeOrNull } from "../envelope.ts";

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
      title: "No new seal",
      status: "open",
      started_at: isoTime(startedAt),
      resolved_at: null,
      message: `The last seal was made on ${dayText(isoTime(release.lastSealAt))} (UTC). Later rows are not published yet.`,
    },
  ];
}

/**
 * Collective sources without an observation in the days before `asOf` (ms), as incidents. Individual sources are left out: their
 * silence would tell of a few observers.
 */
export function silentSources(sources: readonly SourceEntry[], asOf: number): Incident[] {
  return sources.flatMap(({ id, vetting, state, lastIntake }) => {
    if (vetting !== "collective" || state !== "active" || lastIntake === null) return [];
    const startedAt = lastIntake + SILENT_SOURCE_DAYS * DAY_MS;
    if (utcDayStart(asOf) < startedAt) return [];
    return [
      {
        id: `no-intake-${id}-${isoDate(startedAt)}`,
        title: `No intake from source ${id}`,
        status: "open",
        started_at: isoTime(startedAt),
        resolved_at: null,
        message: `No observation of source ${id} has been accepted since ${dayText(isoDate(lastIntake))}.`,
      },
    ];
  });
}

/** Distinguishes them from incidents that a release detects. */
const PREFIX = "incident-";
export const LATE_PREFIX = "late-release-";
const HASH_DIGITS = 12;

/** The id of the incident of a late release; `due`: the date on which it was due. */
export function lateReleaseId(due: string): string {
  return LATE_PREFIX + due;
}

/** The incidents that the release was given. Ids stay the same when the text changes or the incident ends. */
export function operatorIncidents(told: readonly OperatorIncident[]): Incident[] {
  return told.map((incident) => {
    const { started, resolved, title, text, updates } = incident;
    return {
      id: idOf(incident),
      title,
      status: resolved === null ? "open" : "resolved",
      started_at: started,
      resolved_at: resolved,
      message: text,
      ...(updates && { updates: updates.map((update) => ({ at: update.at, message: update.text })) }),
    };
  });
}

/** The id of an incident on every surface. */
export function idOf({ started, title, late_release }: OperatorIncident): string {
  if (late_release !== undefined) return lateReleaseId(late_release);
  return `${PREFIX}${sha256Hex(canonicalJson({ started, title })).slice(0, HASH_DIGITS)}`;
}

/** Whether the release was given the incident: those that it detects itself are open. */
export function isGiven({ id, resolved_at }: Incident): boolean {
  return id.startsWith(PREFIX) || (id.startsWith(LATE_PREFIX) && resolved_at !== null);
}

/** The inverse, for a replay. */
export function operatorIncident(incident: Incident): OperatorIncident {
  const { id, title, started_at, resolved_at, message, updates } = incident;
  return {
    started: started_at,
    resolved: resolved_at,
    title,
    text: message,
    ...(updates && { updates: updates.map((update) => ({ at: update.at, text: update.message })) }),
    ...(id.startsWith(LATE_PREFIX) && { late_release: id.slice(LATE_PREFIX.length) }),
  };
}

export const systemStatus = defineDocument({
  operationId: "getPublicSystemStatus",
  path: "/api/v1/status",
  summary: "Get the status of the current release and of the ledger",
  description:
    "`current_status` applies to the time of the request: the server compares the clock with the due time of the next release (`promise`). Without a server, the file from the build answers and states how long it is valid (`valid_until`). All other fields are as of the build. `latest_externally_sealed_row` is the last row covered by a verified external proof; `latest_sealed_row` is the last row covered by a checkpoint of the service.",
  wire: StatusResponse,
  dependsOnTime: true,
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
