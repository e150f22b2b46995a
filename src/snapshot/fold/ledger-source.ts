import type { Environment } from "../../contract/enums.ts";
import type { ExternalProof } from "../../ledger/external-proofs.ts";
import type { OnlineCheck } from "../../ledger/online-checks.ts";

/** The public part of an external proof. */
export type PublicProof = Pick<ExternalProof, "size" | "provider" | "status" | "sha256" | "verifiedAt">;

/**
 * Input of a snapshot in addition to the folded rows. The ledger provides it, and so do a release's public files, from which a
 * replay builds.
 */
export interface LedgerSource {
  readonly meta: { readonly environment: Environment; readonly origin: string };
  lastSealedRow(treeSize: number): number;
  checkpointAt(size: number): { readonly root: Uint8Array } | undefined;
  checkpoints(): readonly { readonly size: number }[];
  externalProofs(asOf: number): readonly PublicProof[];
  publishedOnlineChecks(asOf: number, sealed: number): Iterable<OnlineCheck>;
  /** The newest row accepted by `asOf` (ms); `latestAcceptedAt` in ms, null when there is none. */
  head(asOf: number): { readonly lastRow: number; readonly latestAcceptedAt: number | null };
  /** Accepted lines that had no row yet at `asOf` (ms) and wait for no reviewer. */
  pendingLines(asOf: number): number;
}
