import { z } from "zod";
import { CurrentStatus } from "../enums.ts";
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
      "Time to which `current_status` applies: the request time in a server's response, the build time in a file.",
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
        "Ledger rows that no seal covers, and accepted lines that become rows when their UTC day is over.",
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
          .describe("What was reported later, with its time, oldest first; absent without any."),
      }),
    ),
  })
  .meta({ id: "StatusResponse", description: "Status of the current release and of its ledger." });
export type StatusResponse = z.infer<typeof StatusResponse>;
export type Incident = StatusResponse["incidents"][number];
