import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type ChangeRow, ChangeTableRow, type ReleaseChanges } from "../../contract/service/exports.ts";
import type { Home } from "../../kernel/home.ts";
import { FormatError } from "../../proof/tlog/bytes.ts";
import { PARQUET_EXPORTS } from "../../render/formats/exports.ts";
import { exportsIndex, type WrittenFile } from "../../render/formats/exports-index.ts";
import { jsonText } from "../../render/formats/media-types.ts";
import { tableCsv } from "../../render/formats/tables.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import {
  CHANGES_CSV,
  CHANGES_JSON,
  type KnownRelease,
  keptRelease,
  knownReleases,
  releaseBefore,
} from "../changes/known-releases.ts";
import { releaseChanges } from "../changes/release-changes.ts";
import type { BuildEffects } from "../effects.ts";
import type { ReleaseFigures } from "../figures/figures.ts";
import { type OpenNote, openFigures } from "../figures/signed-figures.ts";
import { mendedChanges } from "../mend/touched.ts";

export interface ExportsTask {
  readonly home: Home;
  readonly against: string | undefined; // id of a release, or `none`; undefined: the previous one
  readonly mended: MendedRelease | undefined; // of a patch release
  readonly figures: ReleaseFigures;
  readonly openNote: OpenNote;
  readonly site: string; // folder
}

interface MendedRelease {
  readonly directory: string;
  readonly gone: readonly string[]; // public ids
}

export const EXPORTS = "exports/";
export const EXPORTS_INDEX = `${EXPORTS}index.json`;
export const CHECKSUMS = `${EXPORTS}SHA256SUMS`;

/**
 * Writes the bulk files that the server does not compute, and the list of hashes of `exports/`, after all other files. Returns the id of the release
 * that this one was compared with.
 */
export function writeExports(snapshot: Snapshot, task: ExportsTask, effects: BuildEffects): string | null {
  for (const { path, bytes } of PARQUET_EXPORTS) effects.write(EXPORTS + path, bytes(snapshot));
  const changes = changesOf(snapshot, task);
  effects.write(CHANGES_JSON, jsonText(changes));
  effects.write(CHANGES_CSV, tableCsv(ChangeTableRow.keyof().options, changes.records.map(tableRow)));
  writeExportsIndex(snapshot, changes.records.length, task.site, effects);
  effects.write(CHECKSUMS, checksums(effects.hashes));
  return changes.against?.release_id ?? null;
}

/** Lists what lies below `exports/` by now; `changes`: records that changed. */
export function writeExportsIndex(
  snapshot: Snapshot,
  changes: number,
  site: string,
  effects: BuildEffects,
): void {
  const written = [...effects.hashes]
    .filter(([path]) => path.startsWith(EXPORTS))
    .sort(([one], [other]) => (one < other ? -1 : 1)); // threads finish in any order
  effects.write(EXPORTS_INDEX, jsonText(exportsIndex(snapshot, changes, writtenFiles(site, written))));
}

function writtenFiles(
  site: string,
  files: readonly (readonly [path: string, sha256: string])[],
): WrittenFile[] {
  return files.map(([path, sha256]) => {
    const file = join(site, path);
    const text = () => readFileSync(file, "utf8");
    return { path: path.slice(EXPORTS.length), sha256, bytes: statSync(file).size, text };
  });
}

function tableRow({ changed, ...row }: ChangeRow): ChangeTableRow {
  return { ...row, changed: changed.length === 0 ? null : changed.join(" ") };
}

/** A rebuilt release keeps its change file, and a patch release that of the release which it mends. */
function changesOf(
  snapshot: Snapshot,
  { home, against, mended, figures, openNote }: ExportsTask,
): ReleaseChanges {
  const { releaseId } = snapshot.release();
  if (mended !== undefined) {
    const kept = keptRelease(mended.directory).changes();
    return mendedChanges(kept, { releaseId, records: snapshot.recordCount(), gone: mended.gone });
  }
  const known = knownReleases(home);
  const same = known.find((release) => release.releaseId === releaseId);
  if (same !== undefined && against === undefined) return same.changes();
  const before = releaseBefore(known, figures.data_as_of, against);
  return releaseChanges(figures, before && believedFigures(before, openNote));
}

/** Undefined for a damaged release: nothing follows from what it says. */
function believedFigures(release: KnownRelease, openNote: OpenNote): ReleaseFigures | undefined {
  try {
    return openFigures(release.figures(), openNote);
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

/** The list of hashes for `sha256sum -c` in that folder. */
export function checksums(hashes: Iterable<readonly [path: string, sha256: string]>): string {
  return [...hashes]
    .filter(([path]) => path.startsWith(EXPORTS))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, hash]) => `${hash}  ${path.slice(EXPORTS.length)}\n`)
    .join("");
}
