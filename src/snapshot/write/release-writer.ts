import type { Database } from "better-sqlite3";
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
import { inserter } from "../../kernel/table.ts";
import { canonicalJson } from "../../kernel/text/canonical-json.ts";
import { utcDayStart } from "../../kernel/time.ts";
import { publishedCheckLine } from "../../ledger/online-checks.ts";
import type { SealBody } from "../../ledger/rows/rows.ts";
import type { ChecksByRecord } from "../fold/city-facts.ts";
import type { LedgerSource } from "../fold/ledger-source.ts";
import type { Mending } from "../mend/mending.ts";
import type { ReleaseSettings } from "../release-settings.ts";
import type { SealRow } from "../rows.ts";
import { SNAPSHOT_VERSION } from "../schema.ts";
import { release, seals } from "../tables/release.ts";
import type { InputHashes } from "./input-writer.ts";
import { provenSeals } from "./seal-proofs.ts";

/** All inputs of a release (design 2). */
export interface ReleaseInputs extends ReleaseSettings, InputHashes {
  readonly source: LedgerSource;
  readonly treeSize: number;
  readonly asOf: number;
  readonly checks: ChecksByRecord;
  readonly mends?: Mending | undefined;
}

/** Writes the release row and its seals, and returns the release id, a UUID made from the release's inputs. */
export function writeRelease(
  db: Database,
  inputs: ReleaseInputs,
  sealRows: readonly { readonly row: number; readonly body: SealBody }[],
): string {
  const { asOf, treeSize, mends } = inputs;
  const { meta } = inputs.source;
  const { delivery } = inputs;
  const lastSeal = sealRows.at(-1);
  const lastSealAt = lastSeal === undefined ? null : Date.parse(lastSeal.body.created_at);
  const proven = provenSeals(sealRows, inputs.source, inputs);
  const insertSeal = inserter(db, seals);
  for (const { row, seal } of proven) insertSeal({ row, ...seal });
  const live = liveHead(inputs, lastSealAt);
  const releaseId = uuidFromText(canonicalJson(inputsInFull(inputs, live.row, proven)));
  inserter(
    db,
    release,
  )({
    releaseId,
    asOf,
    treeSize: mends?.treeSize ?? treeSize,
    signedTreeSize: treeSize,
    mends: mends === undefined ? null : { releaseId: mends.releaseId, lastSealedRow: mends.lastSealedRow },
    environment: meta.environment,
    origin: meta.origin,
    baseUrl: inputs.baseUrl,
    sourceRevision: inputs.sourceRevision,
    latestLiveRow: live.row,
    latestLiveAt: live.at,
    pendingLines: inputs.source.pendingLines(asOf),
    lastSealedRow: inputs.source.lastSealedRow(treeSize),
    lastSealAt,
    externalTimestamping: inputs.externalTimestamping,
    securityContact: inputs.securityContact,
    referenceHash: inputs.referenceHash,
    activityHash: inputs.activityHash,
    demandHash: inputs.demandHash,
    operatorName: inputs.operatorName,
    operatorTextsHash: inputs.operatorTextsHash,
    incidentsHash: inputs.incidentsHash,
    reportsHash: inputs.reportsHash,
    emailDelivery: delivery.email,
    webhooksDelivered: delivery.webhooks,
  });
  return releaseId;
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
    ...(inputs.mends && { mends: inputs.mends.releaseId }),
    online_checks: sha256Hex(checks.map(publishedCheckLine).join("")),
    operator_name: inputs.operatorName,
    operator_texts: inputs.operatorTextsHash,
    origin: source.meta.origin,
    pending_lines: source.pendingLines(asOf),
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
 * The newest row accepted by `as_of`, so that a later rebuild gives the same. Its time is published as the day only. A release as of
 * a time before its own rows has its own last row.
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
