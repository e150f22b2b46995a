import { ClaimState, type EntityStatus } from "../contract/enums.ts";

/** Verified records are claimed. */
const CLAIMED: readonly EntityStatus[] = ["claimed", "verified"];
const { claimed, unclaimed } = ClaimState.enum;

/** The claim state of a record with this status. */
export function claimState(status: EntityStatus): ClaimState {
  return CLAIMED.includes(status) ? claimed : unclaimed;
}

/** The same as an SQL expression; `status` is one, too. */
export function claimStateSql(status: string): string {
  const listed = CLAIMED.map((name) => `'${name}'`).join(", ");
  return `CASE WHEN ${status} IN (${listed}) THEN '${claimed}' ELSE '${unclaimed}' END`;
}
