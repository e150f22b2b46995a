import type { SealBody } from "../../ledger/rows/rows.ts";
import type { LedgerSource, PublicProof } from "../fold/ledger-source.ts";
import type { SealRow } from "../rows.ts";

const NO_PROOF: SealRow["externalProof"] = {
  provider: null,
  status: "none",
  proofSha256: null,
  verifiedAt: null,
};

/** Seals with the smallest signed tree that holds each: its external timestamp is the first that covers the seal. */
export function provenSeals(
  seals: readonly { readonly row: number; readonly body: SealBody }[],
  source: LedgerSource,
  { treeSize, asOf }: { readonly treeSize: number; readonly asOf: number },
): { readonly row: number; readonly seal: SealRow }[] {
  const sizes = source.checkpoints().map(({ size }) => size);
  const proofs = new Map(source.externalProofs(asOf).map((proof) => [proof.size, wireProof(proof)]));
  return seals.map(({ row, body }) => {
    const size = sizes.find((at) => at >= row) ?? treeSize;
    return { row, seal: { manifest: body, treeSize: size, externalProof: proofs.get(size) ?? NO_PROOF } };
  });
}

function wireProof({ provider, status, sha256, verifiedAt }: PublicProof): SealRow["externalProof"] {
  return { provider, status, proofSha256: sha256, verifiedAt };
}
