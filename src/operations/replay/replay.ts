import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Findings } from "../../proof/audit/findings.ts";
import { type SnapshotReference, writeSnapshot } from "../../snapshot/build.ts";
import { assembleSnapshot } from "../audit/public-snapshot.ts";
import { compareRelease } from "./compare-release.ts";
import type { Comparison } from "./comparison.ts";
import {
  carriedCounts,
  type FoldedRelease,
  foldRelease,
  publishedSource,
  type ReplayedRelease,
} from "./fold-release.ts";

/**
 * Recomputes a release's numbers from its public files alone, and compares them with the published ones. Faults of the evidence itself
 * are in `findings`.
 */
export async function replayRelease(
  replayed: ReplayedRelease,
  reference: SnapshotReference,
  findings: Findings,
  progress: (done: number, total: number) => void,
): Promise<Comparison | undefined> {
  const folded = await foldRelease(replayed, findings, progress);
  if (folded === undefined) return undefined;
  using published = await assembleSnapshot(replayed.files, replayed.release, findings);
  const folder = mkdtempSync(join(tmpdir(), "presence-replay-"));
  try {
    const out = join(folder, "snapshot.db");
    const releaseId = await writeReplayed(replayed, folded, reference, out);
    const comparison = await compareRelease({ ...replayed, published }, out, findings, progress);
    comparison.carryOver(carriedCounts(folded.mends));
    // The id is a hash of all inputs, so it also covers inputs that are published nowhere else.
    const { release_id } = replayed.release.manifest;
    comparison.json("manifest.json", { release_id }, { release_id: releaseId });
    return comparison;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes the snapshot as the rows and the published inputs give it. Returns its release's id. */
async function writeReplayed(
  { files, release }: ReplayedRelease,
  { rows, fold, mends }: FoldedRelease,
  reference: SnapshotReference,
  out: string,
): Promise<string> {
  const { source, settings } = await publishedSource(files, release, rows);
  const { inputs } = release.manifest;
  const input = {
    out,
    treeSize: release.head.size,
    asOf: Date.parse(inputs.as_of),
    settings,
    mends,
    reference,
    referenceHash: inputs.reference_sha256,
    activityHash: inputs.activity_sha256,
    demandHash: inputs.demand_sha256,
    operatorTextsHash: inputs.operator_texts_sha256,
    incidentsHash: inputs.incidents_sha256,
  };
  return writeSnapshot(input, source, fold).releaseId;
}
