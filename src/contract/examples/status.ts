import { uuidFromText } from "../../kernel/ids.ts";
import type { StatusResponse } from "../status.ts";
import { SCHEMA } from "../versions.ts";
import { AS_OF, exampleOnly, SEALED_AT } from "./base.ts";

// Row 27 is the seal of rows 1 to 26; rows 28 and 29 wait for the next one.
export const statusExample: StatusResponse = {
  schema: SCHEMA.status,
  snapshot_id: uuidFromText("example release"),
  data_as_of: AS_OF,
  metric_scope: "public",
  snapshot_type: "release",
  current_status: "operational",
  processing: {
    latest_live_ledger_row: 29,
    latest_live_ledger_at: "2026-06-29T18:20:00Z",
    latest_externally_sealed_row: 26,
    latest_external_seal_at: SEALED_AT,
    rows_awaiting_next_checkpoint: 2,
    next_checkpoint_time: null,
  },
  incidents: [
    {
      id: "ex_incident",
      title: "Late release",
      status: "resolved",
      started_at: "2026-06-10T02:00:00Z",
      resolved_at: "2026-06-10T03:30:00Z",
      message: "The nightly release was published 90 minutes late. No data was lost.",
    },
  ],
  ...exampleOnly,
};
