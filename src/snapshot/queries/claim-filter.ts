import { ClaimState } from "../../contract/enums.ts";

/** SQL expression: the claim state of a record with this status. Verified records are claimed. */
export function claimState(status: string): string {
  const { claimed, unclaimed } = ClaimState.enum;
  return `CASE WHEN ${status} IN ('claimed', 'verified') THEN '${claimed}' ELSE '${unclaimed}' END`;
}
