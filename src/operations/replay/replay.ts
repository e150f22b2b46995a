import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Findings } from "../../audit/findings.ts";
import type { PublicFiles } from "../../audit/public-files.ts";
import type { SignedRelease } from "../../audit/release-manifest.ts";
import type { RowAudit } from "../../audit/row-audit.ts";
import { auditTree } from "../../audit/tree-audit.ts";
import type { SealBody } from "../../ledger/rows/rows.ts";
import { type SnapshotReference, writeSnapshot } from "../../snapshot/build.ts";
import { LedgerFold } from "../../snapshot/fold/ledger-fold.ts";
import { RowsInEffect } from "../../snapshot/mend/rows-in-effect.ts";
import { compareRelease } from "./compare-release.ts";
import type { Comparison } from "./comparison.ts";
import { carriedCounts, publishedMending } from "./published-mending.ts";
import { publishedSource } from "./published-source.ts";

/**
 * Recomputes a release's numbers from its public files alone, and compares them with the published ones. Reads and verifies the tree twice, because
 * seals follow the rows that they date. Faults of the evidence itself are in `findings`.
 */
export async function replayRelease(
  files: PublicFiles,
  release: SignedRelease,
  reference: SnapshotReference,
  findings: Findings,
  progress: (done: number, total: number) => void,
): Promise<Comparison | undefined> {
  const size = release.head.size;
  const rows = await auditTree(files, release, { progress: (done) => progress(done, 2 * size) }, findings);
  if (findings.faults.length > 0) return undefined;
  const mends = await publishedMending(files, release);
  const inEffect = new RowsInEffect(mends?.lastSealedRow ?? rows.sealed, mends !== undefined);
  const fold = await foldRows(files, release, { rows, inEffect }, findings, (done) =>
    progress(size + done, 2 * size),
  );
  const { source, settings } = await publishedSource(files, release, rows);
  const { inputs } = release.manifest;
  const folder = mkdtempSync(join(tmpdir(), "presence-replay-"));
  try {
    const out = join(folder, "snapshot.db");
    const input = {
      out,
      treeSize: size,
      asOf: Date.parse(inputs.as_of),
      settings,
      mends,
      reference,
      referenceHash: inputs.reference_sha256,
      activityHash: inputs.activity_sha256 ?? null,
      demandHash: inputs.demand_sha256 ?? null,
      operatorTextsHash: inputs.operator_texts_sha256 ?? null,
      incidentsHash: inputs.incidents_sha256 ?? null,
    };
    const { releaseId } = writeSnapshot(input, source, fold);
    const comparison = await compareRelease(files, release, out, findings, progress);
    comparison.carryOver(carriedCounts(mends));
    // The id is a hash of all inputs, so it also covers inputs that are published nowhere else.
    comparison.json("manifest.json", { release_id: release.manifest.release_id }, { release_id: releaseId });
    return comparison;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function foldRows(
  files: PublicFiles,
  release: SignedRelease,
  { rows, inEffect }: { readonly rows: RowAudit; readonly inEffect: RowsInEffect },
  findings: Findings,
  progress: (done: number) => void,
): Promise<LedgerFold> {
  const fold = new LedgerFold(release.head.size);
  const days = new SealedDays(rows.seals.map(({ body }) => body));
  await auditTree(
    files,
    release,
    {
      progress,
      onRow: (row) => {
        if (inEffect.has(row)) fold.apply({ ...row, acceptedAt: days.of(row.id) });
      },
    },
    findings,
  );
  countScoutsByTag(fold);
  return fold;
}

/** The day on which a row was accepted, from its seal. Rows must be queried in order. */
class SealedDays {
  readonly #seals: readonly SealBody[];
  #at = 0;

  constructor(seals: readonly SealBody[]) {
    this.#seals = seals;
  }

  of(row: number): number {
    while (row > (this.#seals[this.#at]?.last_observation_id ?? Number.POSITIVE_INFINITY)) this.#at += 1;
    const seal = this.#seals[this.#at];
    return seal === undefined ? 0 : Date.parse(seal.date);
  }
}

/** Within a record, observer tags distinguish scouts as the private hashes do; across records nothing public does. */
function countScoutsByTag(fold: LedgerFold): void {
  const { sightings } = fold;
  for (const [row, record] of sightings.observedBy(Number.POSITIVE_INFINITY)) {
    const observer = fold.observerTag(row);
    const { source, setAside } = sightings.sighting(row, { day: 0, observer });
    if (source !== "scout" || setAside !== null) continue;
    const known = fold.records.get(record);
    const root = known === undefined ? undefined : fold.root(known);
    sightings.setScout(row, `${root?.id ?? record} ${observer}`);
  }
}
