import type { RemovalProof, RemovalStatus } from "../../contract/accounts/removals.ts";
import type { RemovalReasonCode } from "../../contract/enums.ts";
import type { Row } from "../tables.ts";

/** Where a proof was found, or that a reviewer entered the code. */
export type ProvenBy = "dns" | "well_known" | "code";

export interface Removal {
  readonly publicId: string; // secret of its sender
  readonly record: string | null; // public id; null once the record is erased
  readonly proof: RemovalProof;
  readonly status: RemovalStatus;
  readonly createdAt: number;
  readonly provenAt: number | null;
  readonly provenBy: ProvenBy | null;
  readonly reason: RemovalReasonCode | null;
  readonly requestedAt: number | null;
  readonly resolvedAt: number | null;
  readonly resolvedBy: string | null; // a role
  readonly hasCode: boolean;
}

export function removalOf(row: Row<"removals">): Removal {
  return {
    publicId: row.public_id,
    record: row.record,
    proof: row.proof,
    status: statusOf(row),
    createdAt: row.created_at,
    provenAt: row.proven_at,
    provenBy: row.proven_by,
    reason: row.reason,
    requestedAt: row.requested_at,
    resolvedAt: row.resolved_at,
    resolvedBy: row.resolved_by,
    hasCode: row.code_hash !== null,
  };
}

function statusOf({ outcome, requested_at, proven_at }: Row<"removals">): RemovalStatus {
  if (outcome !== null) return outcome;
  if (requested_at !== null) return "requested";
  return proven_at === null ? "unproven" : "proven";
}
