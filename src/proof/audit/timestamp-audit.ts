import { LedgerCheckpointsResponse } from "../../contract/ledger/ledger.ts";
import type { TrustAnchor } from "../timestamp/certificates.ts";
import type { Findings } from "./findings.ts";
import type { PublicFiles } from "./public-files.ts";
import { type SignedRelease, text } from "./release-manifest.ts";

const LIST = "api/v1/ledger-checkpoints.json";
const STAMP = /^ledger\/timestamps\/(\d+)\.tsr$/;

/**
 * Verifies every published timestamp over its signed tree head, and that no checkpoint claims a missing one. Without `anchors` the
 * signer's chain stays unchecked, and the timestamp is counted separately.
 */
export async function auditTimestamps(
  files: PublicFiles,
  { manifest }: SignedRelease,
  anchors: readonly TrustAnchor[] | undefined,
  findings: Findings,
): Promise<void> {
  const stamps = new Map<string, string>();
  for (const path of Object.keys(manifest.files)) {
    const [, size] = STAMP.exec(path) ?? [];
    if (size === undefined) continue;
    const chain = await findings.attempt(path, () => verifyStamp(files, path, size, anchors));
    findings.checked(chain === "unchecked" ? "timestamps, their signers unchecked" : "timestamps");
    stamps.set(manifest.files[path] ?? "", path);
  }
  await findings.attempt(LIST, async () => {
    const { checkpoints } = LedgerCheckpointsResponse.parse(JSON.parse(await text(files, LIST)));
    for (const { date, external_proof } of checkpoints)
      if (external_proof.status === "verified" && !stamps.has(external_proof.proof_sha256 ?? ""))
        findings.fault(LIST, `the checkpoint of ${date} claims a timestamp that is not published`);
  });
}

async function verifyStamp(
  files: PublicFiles,
  path: string,
  size: string,
  anchors: readonly TrustAnchor[] | undefined,
): Promise<"verified" | "unchecked"> {
  const [response, message] = await Promise.all([files.read(path), files.read(`ledger/checkpoints/${size}`)]);
  if (response === undefined || message === undefined)
    throw new Error("the timestamp or its checkpoint is missing");
  // Loaded only when there is a timestamp: the parsers of certificates take more memory than the rest of the program.
  const { verifyTimestamp } = await import("../timestamp/verify-timestamp.ts");
  const verified = await verifyTimestamp({
    response,
    message,
    ...(anchors !== undefined && { trustAnchors: anchors }),
  });
  return verified.chain;
}
