import { z } from "zod";
import { CurrentStatus } from "./enums.ts";
import { Count, Timestamp } from "./fields.ts";
import { SCHEMA } from "./versions.ts";

const LedgerRow = z.int().positive();

export const StatusResponse = z
  .looseObject({
    schema: z.literal(SCHEMA.status),
    snapshot_id: z.uuid(),
    data_as_of: Timestamp,
    metric_scope: z.string(),
    snapshot_type: z.string(),
    current_status: CurrentStatus,
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
