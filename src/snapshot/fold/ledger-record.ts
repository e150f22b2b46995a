import type { EntityStatus, IdentityStatus, RecordStatus } from "../../contract/enums.ts";
import type { IdentityBody, RecordBody } from "../../ledger/rows/rows.ts";
import type { Industry } from "../../method/types.ts";
import type { Merge } from "./merge-chain.ts";

/** A record as the ledger's rows leave it. Owned by the fold: only rows change it. */
export interface LedgerRecord {
  readonly id: number;
  readonly body: RecordBody;
  industry: Industry;
  status: EntityStatus;
  identityStatus: IdentityStatus;
  identity: IdentityBody | null;
  flagged: boolean;
  matchSettled: boolean;
  merge: Merge | undefined;
}

export function newRecord(id: number, body: RecordBody): LedgerRecord {
  return {
    id,
    body,
    industry: {
      code: body.industry,
      method: body.industry_method,
      authoritative: body.industry_method === "declared",
    },
    status: "unclaimed",
    identityStatus: "unclaimed",
    identity: null,
    flagged: false,
    matchSettled: false,
    merge: undefined,
  };
}

/** What a `classify` review makes of the industry; without a code it says that none can be given. */
export function reviewedIndustry(code: string | null): Industry {
  return code === null
    ? { code, method: "unclassified", authoritative: false }
    : { code, method: "reviewed", authoritative: true };
}

export function recordStatus({ merge, status }: LedgerRecord): RecordStatus {
  if (merge !== undefined) return "merged";
  return status === "dissolved" ? "dissolved" : "active";
}

/** A dissolved record keeps the identity status it had. */
export function setStatus(record: LedgerRecord, status: EntityStatus): void {
  record.status = status;
  if (status !== "dissolved") record.identityStatus = status;
}

/** A review without a scope takes back the ones before it. */
export function setIdentity(record: LedgerRecord, identity: IdentityBody): void {
  record.identity = identity.scope === null ? null : identity;
}

export function isMatchUnderReview({ body, matchSettled }: LedgerRecord): boolean {
  return body.match_candidates.length > 0 && !matchSettled;
}
