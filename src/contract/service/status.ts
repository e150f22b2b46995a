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
      "How fresh the release is at `status_as_of`: `degraded` when the next release or a seal is late, `stale` when it is days late.",
    ),
    status_as_of: Timestamp.describe(
      "The instant that `current_status` holds for: that of the request where a server answers, that of the build in a file.",
    ),
    valid_until: Timestamp.nullable().describe(
      "When `current_status` changes if no newer release comes: ask again then. Null: it does not change.",
    ),
    promise: z
      .looseObject({
        next_release_due: Timestamp,
        grace_seconds: Count.describe("So long after it is due the next release is late."),
        stale_after_seconds: Count.describe("So long after it is due this release is stale."),
      })
      .nullable()
      .describe(
        "What this release promises about the next one. Null: a demonstration stands still at its last seal and promises none.",
      ),
    status_note: z.string().describe("What `current_status` rests on, in words."),
    processing: z.looseObject({
      latest_live_ledger_row: LedgerRow.nullable().describe("Head of the ledger; null while it is empty."),
      latest_live_ledger_at: Timestamp.nullable(),
      latest_sealed_row: LedgerRow.nullable().describe("Last row that a seal covers; null before the first."),
      latest_seal_at: Timestamp.nullable(),
      latest_externally_sealed_row: LedgerRow.nullable().describe(
        "Last row a verified external proof covers.",
      ),
      latest_external_seal_at: Timestamp.nullable(),
      rows_awaiting_next_checkpoint: Count,
      next_checkpoint_time: Timestamp.nullable(),
    }),
    incidents: z.array(
      z.looseObject({
        id: z.string(),
        title: z.string(),
        status: z.string(),
        started_at: Timestamp,
        resolved_at: Timestamp.nullable().describe("Null while the incident lasts."),
        message: z.string(),
      }),
    ),
  })
  .meta({ id: "StatusResponse", description: "State of the release served and of the ledger behind it." });
export type StatusResponse = z.infer<typeof StatusResponse>;
