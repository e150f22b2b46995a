import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { CHANGES_CSV, CHANGES_JSON } from "../../build/changes/known-releases.ts";
import type { OpenFile } from "../../build/effects.ts";
import { releaseFigures } from "../../build/figures/release-figures.ts";
import { openFigures, readFigures } from "../../build/figures/signed-figures.ts";
import { cityTablesIndexPath, makeCityTables } from "../../build/stages/city-tables.ts";
import { CHECKSUMS, checksums, EXPORTS, EXPORTS_INDEX } from "../../build/stages/exports.ts";
import { turnsOf } from "../../build/stages/shares.ts";
import { runTasks } from "../../build/stages/tasks.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { releasePaths } from "../../kernel/home.ts";
import type { Findings } from "../../proof/audit/findings.ts";
import { openReleaseNote, ReleaseManifest } from "../../proof/audit/release-manifest.ts";
import { type PublicFiles, readPublished } from "../../proof/audit/site-files.ts";
import { FormatError } from "../../proof/tlog/bytes.ts";
import { PARQUET_EXPORTS } from "../../render/formats/exports.ts";
import type { ReadContext } from "../../resources/define.ts";
import { contextAt } from "../../resources/release-store.ts";
import { type SnapshotReference, writeSnapshot } from "../../snapshot/build.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { type AssembledSnapshot, assembleSnapshot } from "../audit/public-snapshot.ts";
import { type ComparedDocuments, Comparison, compareDocuments, type WrongDocument } from "./comparison.ts";
import {
  carriedCounts,
  type FoldedRelease,
  foldRelease,
  publishedSource,
  type ReplayedRelease,
} from "./fold-release.ts";

/** Files that can be reproduced byte for byte. Coverage has columns that cannot: its CSV is compared value by value. */
const REPLAYABLE = PARQUET_EXPORTS.filter(({ name }) => name !== "city-coverage-parquet");
/** The change files also depend on another release, and the index has the sizes and hashes of all files. */
const LEFT_OUT = [
  ...PARQUET_EXPORTS.filter((file) => !REPLAYABLE.includes(file)).map(({ path }) => EXPORTS + path),
  CHANGES_JSON,
  CHANGES_CSV,
  EXPORTS_INDEX,
];

/** Compares the bulk files that no route serves. Returns their paths. */
export function compareExports(
  files: Readonly<Record<string, string>>,
  snapshot: Snapshot,
  comparison: Comparison,
  findings: Findings,
): string[] {
  const expected = new Map(REPLAYABLE.map(({ path, bytes }) => [EXPORTS + path, sha256Hex(bytes(snapshot))]));
  expected.set(CHECKSUMS, sha256Hex(checksums(Object.entries(files).filter(([path]) => path !== CHECKSUMS))));
  for (const [path, hash] of tableHashes(snapshot)) expected.set(path, hash);
  for (const [path, hash] of expected)
    if (files[path] !== hash) findings.fault(path, "its bytes differ from those computed from the ledger");
  for (const path of LEFT_OUT) comparison.leaveOut(path);
  return [...expected.keys(), ...LEFT_OUT];
}

/** The tables of all cities, made again without keeping them. */
export function tableHashes(snapshot: Snapshot): Map<string, string> {
  const hashes = new Map<string, string>();
  const open = (path: string): OpenFile => {
    const digest = createHash("sha256");
    let bytes = 0;
    return {
      append(part) {
        digest.update(part);
        bytes += part.length;
      },
      close() {
        const sha256 = digest.digest("hex");
        hashes.set(path, sha256);
        return { sha256, bytes };
      },
    };
  };
  for (const city of snapshot.cities())
    hashes.set(cityTablesIndexPath(city), sha256Hex(makeCityTables(snapshot, city, { open })));
  return hashes;
}

/** The figures beside the site, where the release lies on this machine; those of coverage depend on scouts, who are private. */
function compareFigures({ site, release }: ReplayedRelease, snapshot: Snapshot): void {
  if (site === undefined || !existsSync(releasePaths(dirname(site)).figures)) return;
  const believed = openFigures(readFigures(dirname(site)), (note) => openReleaseNote(note, release));
  const [published, replayed] = [believed, releaseFigures(snapshot)].map((figures) => ({
    ...figures,
    cities: figures.cities.map(({ coverage: _, ...city }) => city),
  }));
  if (!isDeepStrictEqual(published, replayed))
    throw new FormatError("the figures differ from those computed from the ledger");
}

const FROM_THE_LEDGER = /^(api\/v1|pulse|exports)\/|^sitemap/;
/** Each thread loads the whole program, so few documents are not worth many. */
const DOCUMENTS_A_THREAD = 1000;

/** The objects of a document die young. */
const SMALL_YOUNG_SPACE = { resourceLimits: { maxYoungGenerationSizeMb: 16 } };

/** The task of a thread, or of this one for few documents. */
export const CompareTask = z.object({
  site: z.string(),
  snapshot: z.string(),
  published: z.string().optional(), // path of the published snapshot
  manifestSha256: z.string(),
  turn: z.int(),
  share: z.int(),
});

/** What a thread of this program reports. */
const Documents = z.custom<ComparedDocuments>((report) => typeof report === "object" && report !== null);

/** A release with the snapshot that its documents of records are made from, if they are no files. */
interface ComparedRelease extends ReplayedRelease {
  readonly published: AssembledSnapshot | undefined;
}

/**
 * Recomputes every document of the snapshot at `snapshotPath` and compares it with the published one: in threads for a folder of many. What is
 * found does not depend on their number.
 */
export async function compareRelease(
  replayed: ComparedRelease,
  snapshotPath: string,
  findings: Findings,
  progress: (done: number, total: number) => void,
): Promise<Comparison> {
  const { files: hashes } = replayed.release.manifest;
  const left = new Set(Object.keys(hashes).filter((path) => FROM_THE_LEDGER.test(path)));
  const total = left.size;
  const comparison = new Comparison();
  const wrong: WrongDocument[] = [];
  const take = (documents: ComparedDocuments) => {
    for (const path of documents.paths) left.delete(path);
    comparison.add(documents.counted);
    wrong.push(...documents.wrong);
    progress(comparison.documents, total);
  };
  const context = contextAt(snapshotPath);
  const compared = compareAll(replayed, { path: snapshotPath, context }, total, take);
  try {
    await compared;
    for (const { differences, faults } of wrong.sort((a, b) => a.at - b.at)) {
      for (const difference of differences) comparison.differences.push(difference);
      findings.take({ faults, counts: {} });
    }
    for (const path of compareExports(hashes, context.snapshot, comparison, findings)) left.delete(path);
    await findings.attempt("figures.ndjson", async () => compareFigures(replayed, context.snapshot));
  } finally {
    context.close();
  }
  for (const path of left) findings.fault(path, "published, but not derived from the ledger");
  return comparison.inOrder();
}

async function compareAll(
  { files, site, release, published }: ComparedRelease,
  snapshot: { readonly path: string; readonly context: ReadContext },
  documents: number,
  take: (compared: ComparedDocuments) => void,
): Promise<void> {
  if (site === undefined)
    return compareDocuments(
      { files, hashes: release.manifest.files, made: published?.context },
      snapshot.context,
      { turn: 0, share: 1 },
      take,
    );
  const task = {
    site,
    snapshot: snapshot.path,
    published: published?.path,
    manifestSha256: release.manifestSha256,
  };
  const tasks = turnsOf(Math.ceil((documents + 1) / DOCUMENTS_A_THREAD)).map((turn) => ({
    ...task,
    ...turn,
  }));
  const module = new URL("./compare-worker.ts", import.meta.url);
  const isSmall = documents < DOCUMENTS_A_THREAD;
  await runTasks(module, tasks, (raw) => take(Documents.parse(raw)), { ...SMALL_YOUNG_SPACE, isSmall });
}

/** The hashes of the files of the signed list. Throws OperatorError when it is another one by now. */
export async function signedHashes(
  files: PublicFiles,
  manifestSha256: string,
): Promise<Readonly<Record<string, string>>> {
  const body = await readPublished(files, "manifest.json");
  if (sha256Hex(body) !== manifestSha256)
    throw new OperatorError("manifest.json: it was changed while the release was replayed: run again");
  return ReleaseManifest.parse(JSON.parse(body.toString("utf8"))).files;
}

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
