import { z } from "zod";
import { CurrentStatus, type ReportOutcome } from "../enums.ts";
import { Count, Timestamp } from "../fields.ts";
import { SCHEMA } from "../versions.ts";

const LedgerRow = z.int().positive();

export const StatusResponse = z
  .looseObject({
    schema: z.literal(SCHEMA.status),
    snapshot_id: z.uuid(),
    data_as_of: Timestamp,
    metric_scope: z.string(),
    snapshot_type: z.string(),
    current_status: CurrentStatus.describe(
      "Freshness at `status_as_of`: `degraded` when the next release or a seal is late, `stale` when it is days late.",
    ),
    status_as_of: Timestamp.describe(
      "Time to which `current_status` applies: the time of the request, or of the build in a file.",
    ),
    valid_until: Timestamp.nullable().describe(
      "Time at which `current_status` changes if no newer release is published; null when it does not change.",
    ),
    promise: z
      .looseObject({
        next_release_due: Timestamp,
        grace_seconds: Count.describe("Seconds after the due time at which the next release counts as late."),
        stale_after_seconds: Count.describe(
          "Seconds after the due time at which this release counts as stale.",
        ),
      })
      .nullable()
      .describe(
        "When the next release is due. Null in a demonstration, which publishes no further releases.",
      ),
    under_review: z
      .boolean()
      .describe(
        "True while the next release is late because the operator reviews it before publication. Always false in a file.",
      ),
    status_note: z.string().describe("Explanation of `current_status`."),
    processing: z.looseObject({
      latest_live_ledger_row: LedgerRow.nullable().describe(
        "Newest ledger row; null while the ledger is empty.",
      ),
      latest_live_ledger_at: Timestamp.nullable(),
      latest_sealed_row: LedgerRow.nullable().describe("Last sealed row; null before the first seal."),
      latest_seal_at: Timestamp.nullable(),
      latest_externally_sealed_row: LedgerRow.nullable().describe(
        "Last row covered by a verified external proof.",
      ),
      latest_external_seal_at: Timestamp.nullable(),
      rows_awaiting_next_checkpoint: Count.describe(
        "Unsealed ledger rows, and accepted lines that become rows when their UTC day is over.",
      ),
      next_checkpoint_time: Timestamp.nullable(),
    }),
    incidents: z.array(
      z.looseObject({
        id: z.string(),
        title: z.string(),
        status: z.string(),
        started_at: Timestamp,
        resolved_at: Timestamp.nullable().describe("Null while the incident is open."),
        message: z.string(),
        updates: z
          .array(z.looseObject({ at: Timestamp, message: z.string() }))
          .optional()
          .describe("Later updates with their times, oldest first; absent if there are none."),
      }),
    ),
  })
  .meta({ id: "StatusResponse", description: "Status of the current release and of its ledger." });
export type StatusResponse = z.infer<typeof StatusResponse>;
export type Incident = StatusResponse["incidents"][number];

export const MAX_INCIDENTS = 50;
export const MAX_UPDATES = 50;
const TITLE_LENGTH = 120;
const TEXT_LENGTH = 2000;

export const IncidentTitle = z.string().trim().min(1).max(TITLE_LENGTH);
export const IncidentText = z.string().trim().min(1).max(TEXT_LENGTH);

/** What was said later of an incident, with the time at which it was said. */
const IncidentUpdate = z.strictObject({ at: Timestamp, text: IncidentText });

/** One incident in the operator's incidents file: plain text, times in UTC. */
export const OperatorIncident = z
  .strictObject({
    started: Timestamp,
    resolved: Timestamp.nullable().default(null),
    title: IncidentTitle,
    text: IncidentText,
    updates: z.array(IncidentUpdate).min(1).max(MAX_UPDATES).exactOptional(), // oldest first
    late_release: z.iso.date().exactOptional(), // due date of the release that was late; written by the night
  })
  .refine(({ started, resolved }) => resolved === null || Date.parse(resolved) >= Date.parse(started), {
    path: ["resolved"],
    error: "is before `started`",
  })
  .refine(({ started, updates = [] }) => updates.every(({ at }) => Date.parse(at) >= Date.parse(started)), {
    path: ["updates"],
    error: "has a time before `started`",
  });
export type OperatorIncident = z.infer<typeof OperatorIncident>;

/** Contents of the incidents file. */
export const OperatorIncidents = z
  .array(OperatorIncident)
  .max(MAX_INCIDENTS)
  .refine((all) => new Set(all.map(({ started, title }) => `${started} ${title}`)).size === all.length, {
    error: "two incidents have the same `started` and `title`",
  });

/**
 * The incidents as they were known at `now` (ms): those that had begun, with the end and the updates of that time. A late release
 * that is still open is left out, because the status tells it by the clock.
 */
export function incidentsKnownAt(all: readonly OperatorIncident[], now: number): OperatorIncident[] {
  const isPast = (time: string) => Date.parse(time) <= now;
  return all
    .filter(({ started }) => isPast(started))
    .flatMap(({ updates = [], ...incident }) => {
      const resolved = incident.resolved !== null && isPast(incident.resolved) ? incident.resolved : null;
      if (incident.late_release !== undefined && resolved === null) return [];
      const told = updates.filter(({ at }) => isPast(at));
      return [{ ...incident, resolved, ...(told.length > 0 && { updates: told }) }];
    });
}

const counted = (what: string) => Count.nullable().describe(what);

/**
 * Counts of reports in the days before a release, as of the end of these days. They identify no record. Like the ledger,
 * they are an input of the release and are published unchanged. All are null when nothing was measured.
 */
export const ReportCounts = z.object({
  reports_from: Timestamp.nullable().describe(
    "Start of a UTC day. Null, like the counts, when nothing was measured.",
  ),
  reports_until: Timestamp.nullable().describe(
    "End of the counted period. Later decisions are not included.",
  ),
  received: counted("Reports received in the period; the sum of the next six counts."),
  open: counted("Not yet decided at the end of the period."),
  upheld: counted("Checked and confirmed."),
  not_upheld: counted("Checked and not confirmed."),
  duplicate: counted("Duplicates of earlier reports."),
  withdrawn: counted("Withdrawn by the reporter."),
  out_of_scope: counted("Outside the scope of this service."),
  open_from_before: counted("Received before the period and not yet decided at its end."),
  median_days_to_resolution: z
    .number()
    .nonnegative()
    .nullable()
    .describe(
      "Time to the first decision, over reports received and decided in the period; null when there are none.",
    ),
} satisfies Record<ReportOutcome, z.ZodType> & Record<string, z.ZodType>);
export type ReportCounts = z.infer<typeof ReportCounts>;

export const NO_REPORT_COUNTS: ReportCounts = {
  reports_from: null,
  reports_until: null,
  received: null,
  open: null,
  upheld: null,
  not_upheld: null,
  duplicate: null,
  withdrawn: null,
  out_of_scope: null,
  open_from_before: null,
  median_days_to_resolution: null,
};

/** Pages to which the operator can add a text, each from a file `NAME.md`. */
export const OPERATOR_TEXT_NAMES = ["about", "licence", "privacy", "terms"] as const;
export const OperatorTextName = z.enum(OPERATOR_TEXT_NAMES);
export type OperatorTextName = z.infer<typeof OperatorTextName>;

/** Markdown (CommonMark) by name. */
export const OperatorTexts = z.partialRecord(OperatorTextName, z.string());
export type OperatorTexts = z.infer<typeof OperatorTexts>;

export const OPERATOR_TEXT_BYTES = 64 * 1024;
