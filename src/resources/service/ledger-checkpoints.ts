import { ExternalProofStatus } from "../../contract/enums.ts";
import {
  type LedgerCheckpoint,
  LedgerCheckpointsResponse,
} from "../../contract/ledger/ledger-checkpoints.ts";
import { NoParams } from "../../contract/params.ts";
import type { SealRow } from "../../snapshot/rows.ts";
import { defineResource } from "../define.ts";
import { checkpointUrl, timestampUrl } from "../links.ts";
import { timeOrNull } from "../plain-values.ts";

export const ledgerCheckpoints = defineResource({
  operationId: "listLedgerCheckpoints",
  path: "/api/v1/ledger-checkpoints",
  summary: "List the sealed ranges of the ledger with their Merkle roots",
  description:
    "Newest first. Each manifest refers to the previous one by hash. It is itself a ledger row in the tree at `checkpoint_url`.",
  pathParams: {},
  query: NoParams.shape,
  wire: LedgerCheckpointsResponse,
  example: { path: {}, query: {} },
  errors: [400],
  enumerate: () => [{}],
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
