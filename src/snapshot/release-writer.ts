import type { Database } from "better-sqlite3";
import {
  COVERAGE_VERSION,
  GATE_VERSION,
  LEDGER_SCHEMA_VERSION,
  SCHEMA_VERSION,
  SCOPE_VERSION,
  SCORE_VERSION,
} from "../contract/versions.ts";
import { canonicalJson } from "../kernel/canonical-json.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { uuidFromText } from "../kernel/ids.ts";
import { utcDayStart } from "../kernel/time.ts";
import type { LedgerReader } from "../ledger/reader.ts";
import type { SealBody } from "../ledger/rows.ts";
import type { ChecksByRecord } from "./city-content.ts";
import { inserter } from "./inserter.ts";
import { SNAPSHOT_VERSION } from "./schema.ts";

/** Everything that a release is a function of (design 2). */
export interface ReleaseInputs {
  readonly reader: LedgerReader;
  readonly treeSize: number;
  readonly asOf: number;
  readonly baseUrl: string;
  readonly sourceRevision: string;
  readonly checks: ChecksByRecord;
  readonly referenceHash: string;
}

/**
 * The last row that a seal covers, or the tree's last when nothing but the seals' own rows comes after it. With a seal that
 * leaves today open, the open rows lie in the tree and not in the release (design 5).
 */
export function lastSealedRow(reader: LedgerReader, treeSize: number): number {
  const seals = reader.seals(treeSize);
  const covered = seals.at(-1)?.body.last_observation_id ?? 0;
  const own = seals.filter(({ row }) => row > covered).length;
  return covered + own === treeSize ? treeSize : covered;
}

/** Writes the release row and returns the release id, a UUID made from its inputs. */
export function writeRelease(db: Database, inputs: ReleaseInputs, lastSeal: SealBody | undefined): string {
  const { asOf, treeSize } = inputs;
  const { meta } = inputs.reader;
  const lastSealAt = lastSeal === undefined ? null : Date.parse(lastSeal.created_at);
  const live = liveHead(inputs, lastSealAt);
  const releaseId = uuidFromText(canonicalJson(inputsInFull(inputs, live.row)));
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
    lastSealedRow(inputs.reader, treeSize),
    lastSealAt,
    0, // no time stamp authority is configured: the ledger holds no external proof
  ]);
  return releaseId;
}

export function writeSeals(db: Database, seals: readonly { row: number; body: SealBody }[]): void {
  const insert = inserter(db, "seals");
  const externalProof = JSON.stringify({
    provider: null,
    status: "none",
    proofSha256: null,
    verifiedAt: null,
  });
  for (const { row, body } of seals) insert([row, JSON.stringify(body), externalProof]);
}

function inputsInFull(inputs: ReleaseInputs, liveRow: number) {
  const { reader, treeSize, asOf, baseUrl, sourceRevision, referenceHash } = inputs;
  const checks = [...inputs.checks.values()].flat();
  return {
    as_of: asOf,
    base_url: baseUrl,
    live_row: liveRow,
    online_checks: sha256Hex(checks.map((check) => JSON.stringify(check)).join("\n")),
    origin: reader.meta.origin,
    reference: referenceHash,
    source_revision: sourceRevision,
    tree_root: reader.checkpointAt(treeSize)?.root.toString("hex") ?? null,
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

/**
 * The newest row accepted by `as_of`: what the head was then, so that a later rebuild says the same. Its time is public as
 * the day only. A release for a time before its own rows shows its own last row.
 */
function liveHead(
  { reader, asOf, treeSize }: ReleaseInputs,
  lastSealAt: number | null,
): { row: number; at: number | null } {
  const { lastRow, latestAcceptedAt } = reader.head(asOf);
  // The tree's last row is the seal itself, and a seal's time is public.
  if (latestAcceptedAt === null || lastRow <= treeSize) return { row: treeSize, at: lastSealAt };
  return { row: lastRow, at: utcDayStart(latestAcceptedAt) };
}
