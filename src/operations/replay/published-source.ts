import { LedgerCheckpointsResponse } from "../../contract/ledger/ledger.ts";
import { MethodologyMetrics } from "../../contract/service/methodology-metrics.ts";
import { StatusResponse } from "../../contract/service/status.ts";
import { type OnlineCheck, PublishedCheck } from "../../ledger/online-checks.ts";
import type { PublicFiles } from "../../proof/audit/public-files.ts";
import { type SignedRelease, text } from "../../proof/audit/release-manifest.ts";
import type { RowAudit } from "../../proof/audit/row-audit.ts";
import { isGiven, operatorIncident } from "../../resources/service/system-status.ts";
import type { PublicProof } from "../../snapshot/fold/ledger-source.ts";
import { ReleaseSettings } from "../../snapshot/release-settings.ts";

/**
 * Inputs that a replay takes from the published files, because the ledger's rows do not hold them. Of the incidents, the settings have
 * those that the release shows; they lack texts and counts, of which hashes are published. Throws ZodError or FormatError for files that are missing or malformed.
 */
export async function publishedSource(files: PublicFiles, { head, manifest }: SignedRelease, rows: RowAudit) {
  const { inputs } = manifest;
  const list = LedgerCheckpointsResponse.parse(
    JSON.parse(await text(files, "api/v1/ledger-checkpoints.json")),
  );
  const { processing, incidents } = StatusResponse.parse(JSON.parse(await text(files, "api/v1/status.json")));
  const { dispute_metrics } = MethodologyMetrics.parse(
    JSON.parse(await text(files, "api/v1/methodology/metrics.json")),
  );
  const checks = parseChecks(await text(files, "ledger/online-checks.ndjson"));
  const sizes = Object.keys(manifest.files).flatMap((path) => checkpointSize(path) ?? []);
  return {
    settings: ReleaseSettings.parse({
      baseUrl: inputs.base_url,
      sourceRevision: inputs.source_revision,
      externalTimestamping: list.external_timestamping_active,
      securityContact: inputs.security_contact,
      operatorName: inputs.operator_name,
      delivery: inputs.delivery,
      incidents: incidents.filter(isGiven).map(operatorIncident),
      reportCounts: dispute_metrics,
    }),
    source: {
      meta: inputs,
      lastSealedRow: () => rows.sealed,
      checkpointAt: () => head,
      checkpoints: () => sizes.sort((a, b) => a - b).map((size) => ({ size })),
      externalProofs: () => list.checkpoints.flatMap(publicProof),
      publishedOnlineChecks: () => checks,
      pendingLines: () => inputs.pending_lines,
      head: () => ({
        lastRow: processing.latest_live_ledger_row ?? 0,
        latestAcceptedAt: timeOf(processing.latest_live_ledger_at),
      }),
    },
  };
}

function parseChecks(lines: string): OnlineCheck[] {
  return lines
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const { checked_at, signal_types, match_count, ...check } = PublishedCheck.parse(JSON.parse(line));
      return {
        ...check,
        checkedAt: Date.parse(checked_at),
        signalTypes: signal_types,
        matchCount: match_count,
        provider: "published",
      };
    });
}

function publicProof({
  tree_size,
  external_proof,
}: LedgerCheckpointsResponse["checkpoints"][number]): PublicProof[] {
  const { provider, status, proof_sha256, verified_at } = external_proof;
  if (provider === null || status === "none" || tree_size === undefined) return [];
  return [{ size: tree_size, provider, status, sha256: proof_sha256, verifiedAt: timeOf(verified_at) }];
}

function checkpointSize(path: string): number | undefined {
  const [, size] = /^ledger\/checkpoints\/(\d+)$/.exec(path) ?? [];
  return size === undefined ? undefined : Number(size);
}

function timeOf(time: string | null): number | null {
  return time === null ? null : Date.parse(time);
}
