import { ExternalProofStatus } from "../../contract/enums.ts";
import {
  type LedgerCheckpoint,
  LedgerCheckpointsResponse,
  readWithdrawalCursor,
  WITHDRAWALS_NOTE,
  WithdrawalsResponse,
  withdrawalCursor,
} from "../../contract/ledger/ledger.ts";
import { WithdrawalsParams } from "../../contract/params.ts";
import { SCHEMA } from "../../contract/versions.ts";
import { isoTime } from "../../kernel/time.ts";
import type { SealRow } from "../../snapshot/rows.ts";
import { defineDocument, defineResource } from "../define.ts";
import { timeOrNull } from "../envelope.ts";
import { checkpointUrl, timestampUrl } from "../links.ts";

export const ledgerCheckpoints = defineDocument({
  operationId: "listLedgerCheckpoints",
  path: "/api/v1/ledger-checkpoints",
  summary: "List the sealed ranges of the ledger with their Merkle roots",
  description:
    "Newest first. Each manifest refers to the previous one by hash. It is itself a ledger row in the tree at `checkpoint_url`.",
  wire: LedgerCheckpointsResponse,
  load({ snapshot }) {
    const { baseUrl, externalTimestamping } = snapshot.release();
    const checkpoints = snapshot.seals().map((seal) => checkpoint(seal, baseUrl));
    return {
      external_timestamping_active: externalTimestamping,
      externally_confirmed: checkpoints[0]?.external_proof.status === "verified",
      checkpoints,
    };
  },
});

function checkpoint({ manifest, treeSize, externalProof }: SealRow, baseUrl: string): LedgerCheckpoint {
  return {
    ...manifest,
    external_proof: {
      provider: externalProof.provider,
      status: ExternalProofStatus.parse(externalProof.status),
      proof_sha256: externalProof.proofSha256,
      verified_at: timeOrNull(externalProof.verifiedAt),
    },
    tree_size: treeSize,
    checkpoint_url: checkpointUrl(baseUrl, treeSize),
    timestamp_url: externalProof.status === "verified" ? timestampUrl(baseUrl, treeSize) : null,
  };
}

const START = { withdrawnBy: 0, row: 0 };

export const withdrawals = defineResource({
  operationId: "listWithdrawals",
  path: "/api/v1/withdrawals",
  summary: "List the withdrawn ledger rows, for those who hold copies",
  description:
    "Returns the numbers of all rows whose values were erased by a redaction or an opt-out, in the order of withdrawal, without names and reasons. `next_cursor` never expires: keep the last one and pass it after each release to get what was withdrawn since.",
  pathParams: {},
  query: WithdrawalsParams.shape,
  wire: WithdrawalsResponse,
  example: { path: {}, query: {} },
  errors: [400],
  enumerate: () => [{}],
  load({ snapshot }, _, { cursor, limit }) {
    const { asOf, treeSize } = snapshot.release();
    const after = (cursor === undefined ? undefined : readWithdrawalCursor(cursor)) ?? START;
    const found = snapshot.withdrawals(after.withdrawnBy, after.row, limit + 1);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      schema: SCHEMA.withdrawals,
      data_as_of: isoTime(asOf),
      tree_size: treeSize,
      total_count: snapshot.withdrawalCount(),
      has_more: found.length > limit,
      next_cursor:
        last === undefined
          ? (cursor ?? null)
          : withdrawalCursor({ withdrawnBy: last.erasedBy, row: last.row }),
      note: WITHDRAWALS_NOTE,
      withdrawals: page.map(({ row, erasedBy }) => ({ row, withdrawn_by: erasedBy })),
    };
  },
});
