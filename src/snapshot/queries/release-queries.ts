import type { Database } from "better-sqlite3";
import type { EmailDelivery } from "../../contract/accounts/delivery-setup.ts";
import type { Environment } from "../../contract/enums.ts";
import type { ReleaseRow, SealRow } from "../rows.ts";

interface StoredRelease {
  readonly release_id: string;
  readonly as_of: number;
  readonly tree_size: number;
  readonly environment: Environment;
  readonly origin: string;
  readonly base_url: string;
  readonly source_revision: string;
  readonly latest_live_row: number;
  readonly latest_live_at: number | null;
  readonly last_sealed_row: number;
  readonly last_seal_at: number | null;
  readonly external_timestamping: number;
  readonly security_contact: string | null;
  readonly reference_sha256: string;
  readonly activity_sha256: string | null;
  readonly demand_sha256: string | null;
  readonly operator_name: string | null;
  readonly operator_texts_sha256: string | null;
  readonly incidents_sha256: string | null;
  readonly reports_sha256: string | null;
  readonly email_delivery: EmailDelivery;
  readonly webhooks_delivered: number;
}

function releaseRow(stored: StoredRelease): ReleaseRow {
  return {
    releaseId: stored.release_id,
    asOf: stored.as_of,
    treeSize: stored.tree_size,
    environment: stored.environment,
    origin: stored.origin,
    baseUrl: stored.base_url,
    sourceRevision: stored.source_revision,
    latestLiveRow: stored.latest_live_row,
    latestLiveAt: stored.latest_live_at,
    lastSealedRow: stored.last_sealed_row,
    lastSealAt: stored.last_seal_at,
    externalTimestamping: stored.external_timestamping === 1,
    securityContact: stored.security_contact,
    referenceHash: stored.reference_sha256,
    activityHash: stored.activity_sha256,
    demandHash: stored.demand_sha256,
    operatorName: stored.operator_name,
    operatorTextsHash: stored.operator_texts_sha256,
    incidentsHash: stored.incidents_sha256,
    reportsHash: stored.reports_sha256,
    delivery: { email: stored.email_delivery, webhooks: stored.webhooks_delivered === 1 },
  };
}

export interface ReleaseQueries {
  release(): ReleaseRow;
  /** Seals that the release's tree covers, newest first. */
  seals(): SealRow[];
}

export function releaseQueries(db: Database): ReleaseQueries {
  const stored = db.prepare<[], StoredRelease>("SELECT * FROM release").get();
  if (stored === undefined) throw new Error("snapshot without a release row");
  const release = releaseRow(stored);
  const seals = db.prepare<[], { manifest: string; tree_size: number; external_proof: string }>(
    "SELECT manifest, tree_size, external_proof FROM seals ORDER BY row DESC",
  );
  return {
    release: () => release,
    seals: () =>
      seals.all().map((seal) => ({
        manifest: JSON.parse(seal.manifest),
        treeSize: seal.tree_size,
        externalProof: JSON.parse(seal.external_proof),
      })),
  };
}
