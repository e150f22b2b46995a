import type { Database } from "better-sqlite3";
import type { DeliverySetup } from "../../contract/accounts/delivery-setup.ts";
import {
  COVERAGE_VERSION,
  GATE_VERSION,
  LEDGER_SCHEMA_VERSION,
  SCHEMA_VERSION,
  SCOPE_VERSION,
  SCORE_VERSION,
} from "../../contract/versions.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { uuidFromText } from "../../kernel/ids.ts";
import { canonicalJson } from "../../kernel/text/canonical-json.ts";
import { utcDayStart } from "../../kernel/time.ts";
import { publishedCheckLine } from "../../ledger/online-checks.ts";
import type { SealBody } from "../../ledger/rows/rows.ts";
import type { ChecksByRecord } from "../fold/city-content.ts";
import type { LedgerSource } from "../fold/ledger-source.ts";
import type { SealRow } from "../rows.ts";
import { SNAPSHOT_VERSION } from "../schema.ts";
import { inserter } from "./inserter.ts";
import { provenSeals } from "./seal-proofs.ts";

/** Everything that a release is a function of (design 2). */
export interface ReleaseInputs {
  readonly source: LedgerSource;
  readonly treeSize: number;
  readonly asOf: number;
  readonly baseUrl: string;
  readonly sourceRevision: string;
  readonly externalTimestamping: boolean; // an authority is configured
  readonly securityContact: string | null; // mailto: or https: address
  readonly checks: ChecksByRecord;
  readonly referenceHash: string;
  readonly activityHash: string | null;
  readonly demandHash: string | null;
  readonly operatorName: string | null;
  readonly operatorTextsHash: string | null;
  readonly incidentsHash: string | null;
  readonly reportsHash: string | null;
  readonly delivery: DeliverySetup;
}

/** Writes the release row and its seals, and returns the release id, a UUID made from the release's inputs. */
export function writeRelease(
  db: Database,
  inputs: ReleaseInputs,
  seals: readonly { readonly row: number; readonly body: SealBody }[],
): string {
  const { asOf, treeSize } = inputs;
  const { meta } = inputs.source;
  const { delivery } = inputs;
  const lastSeal = seals.at(-1);
  const lastSealAt = lastSeal === undefined ? null : Date.parse(lastSeal.body.created_at);
  const proven = provenSeals(seals, inputs.source, inputs);
  writeSeals(db, proven);
  const live = liveHead(inputs, lastSealAt);
  const releaseId = uuidFromText(canonicalJson(inputsInFull(inputs, live.row, proven)));
  inserter(
    db,
    "release",
  )([
    releaseId,
    asOf,
    treeSize,
    meta.environment,
    meta.origin,
    inputs.baseUrl,
    inputs.sourceRevision,
    live.row,
    live.at,
    inputs.source.lastSealedRow(treeSize),
    lastSealAt,
    inputs.externalTimestamping ? 1 : 0,
    inputs.securityContact,
    inputs.referenceHash,
    inputs.activityHash,
    inputs.demandHash,
    inputs.operatorName,
    inputs.operatorTextsHash,
    inputs.incidentsHash,
    inputs.reportsHash,
    delivery.email,
    delivery.webhooks ? 1 : 0,
  ]);
  return releaseId;
}

function writeSeals(db: Database, seals: readonly { readonly row: number; readonly seal: SealRow }[]): void {
  const insert = inserter(db, "seals");
  for (const { row, seal } of seals)
    insert([row, JSON.stringify(seal.manifest), seal.treeSize, JSON.stringify(seal.externalProof)]);
}

function inputsInFull(
  inputs: ReleaseInputs,
  liveRow: number,
  seals: readonly { readonly row: number; readonly seal: SealRow }[],
) {
  const { source, treeSize, asOf, baseUrl, sourceRevision, referenceHash } = inputs;
  const checks = [...inputs.checks.values()].flat();
  return {
    activity: inputs.activityHash,
    as_of: asOf,
    base_url: baseUrl,
    delivery: inputs.delivery,
    demand: inputs.demandHash,
    external_proofs: sha256Hex(canonicalJson(seals.map(({ seal }) => ({ ...seal.externalProof })))),
    external_timestamping: inputs.externalTimestamping,
    incidents: inputs.incidentsHash,
    live_row: liveRow,
    online_checks: sha256Hex(checks.map(publishedCheckLine).join("")),
    operator_name: inputs.operatorName,
    operator_texts: inputs.operatorTextsHash,
    origin: source.meta.origin,
    reference: referenceHash,
    reports: inputs.reportsHash,
    security_contact: inputs.securityContact,
    source_revision: sourceRevision,
    tree_root: treeRoot(inputs),
    tree_size: treeSize,
    versions: [
      SNAPSHOT_VERSION,
      LEDGER_SCHEMA_VERSION,
      SCHEMA_VERSION,
      GATE_VERSION,
      SCORE_VERSION,
      SCOPE_VERSION,
      COVERAGE_VERSION,
    ],
  };
}

function treeRoot({ source, treeSize }: ReleaseInputs): string | null {
  const checkpoint = source.checkpointAt(treeSize);
  return checkpoint === undefined ? null : Buffer.from(checkpoint.root).toString("hex");
}

/**
 * The newest row accepted by `as_of`: what the head was then, so that a later rebuild says the same. Its time is public as
 * the day only. A release for a time before its own rows shows its own last row.
 */
function liveHead(
  { source, asOf, treeSize }: ReleaseInputs,
  lastSealAt: number | null,
): { row: number; at: number | null } {
  const { lastRow, latestAcceptedAt } = source.head(asOf);
  // The tree's last row is the seal itself, and a seal's time is public.
  if (latestAcceptedAt === null || lastRow <= treeSize) return { row: treeSize, at: lastSealAt };
  return { row: lastRow, at: utcDayStart(latestAcceptedAt) };
}
