import type { EntityStatus, IdentityStatus, RecordStatus } from "../../contract/enums.ts";
import type { RecordState } from "../../ledger/decisions/ledger-state.ts";
import type { IdentityBody, RecordBody } from "../../ledger/rows/rows.ts";
import type { Industry } from "../../method/types.ts";

export type LedgerRecord = RecordState;

/** What the ledger says of a record in the end, as plain data. */
export interface ShownRecord {
  readonly id: number; // ledger row
  readonly body: RecordBody;
  readonly name: string;
  readonly website: string | null;
  readonly industry: Industry;
  readonly status: EntityStatus;
  readonly recordStatus: RecordStatus;
  readonly identityStatus: IdentityStatus;
  readonly identity: IdentityBody | null; // the last reviewed one
  readonly isFlagged: boolean;
  readonly isMatchUnderReview: boolean;
}

export function shownRecord(record: LedgerRecord): ShownRecord {
  const { id, body, name, website, industry, status, identityStatus, identity } = record;
  return {
    id,
    body,
    name,
    website,
    industry,
    status,
    recordStatus: recordStatus(record),
    identityStatus,
    identity,
    isFlagged: record.flaggedBy !== undefined,
    isMatchUnderReview: record.isMatchWaiting,
  };
}

function recordStatus({ merge, status }: LedgerRecord): RecordStatus {
  if (merge !== undefined) return "merged";
  return status === "dissolved" ? "dissolved" : "active";
}
