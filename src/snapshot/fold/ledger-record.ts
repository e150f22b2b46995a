import type { RecordStatus } from "../../contract/enums.ts";
import type { RecordState } from "../../ledger/decisions/record-state.ts";

export type LedgerRecord = RecordState;

export function recordStatus({ merge, status }: LedgerRecord): RecordStatus {
  if (merge !== undefined) return "merged";
  return status === "dissolved" ? "dissolved" : "active";
}

export function isMatchUnderReview({ isMatchWaiting }: LedgerRecord): boolean {
  return isMatchWaiting;
}
