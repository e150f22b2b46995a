import { writeFileSync } from "node:fs";
import { ChangeRow, type ReleaseChanges } from "../../contract/service/exports.ts";
import { type Home, releasePaths } from "../../kernel/home.ts";
import { isoTime } from "../../kernel/time.ts";
import { PARQUET_EXPORTS } from "../../render/formats/exports.ts";
import { jsonText } from "../../render/formats/media-types.ts";
import { tableCsv } from "../../render/formats/tables.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import {
  CHANGES_CSV,
  CHANGES_JSON,
  keptRelease,
  knownReleases,
  releaseBefore,
} from "../changes/known-releases.ts";
import { type RecordIndex, recordHashes, releaseChanges } from "../changes/release-changes.ts";
import type { BuildEffects } from "../effects.ts";
import { mendedChanges } from "../mend/touched.ts";

export interface ExportsTask {
  readonly home: Home;
  readonly staging: string;
  readonly against: string | undefined; // id of a release, or `none`; undefined: the previous one
  readonly mended: MendedRelease | undefined; // of a patch release
  /** The index of a release whose documents of records are no files. */
  readonly records: RecordIndex | undefined;
}

interface MendedRelease {
  readonly directory: string;
  readonly gone: readonly string[]; // public ids
}

export const EXPORTS = "exports/";
export const CHECKSUMS = `${EXPORTS}SHA256SUMS`;

/**
 * Writes the bulk files that the server does not compute, and the list of hashes of `exports/`, after all other files. Returns the id of the release
 * that this one was compared with.
 */
export function writeExports(snapshot: Snapshot, task: ExportsTask, effects: BuildEffects): string | null {
  for (const { path, bytes } of PARQUET_EXPORTS) effects.write(EXPORTS + path, bytes(snapshot));
  const changes = changesOf(snapshot, task, effects);
  effects.write(CHANGES_JSON, jsonText(changes));
  effects.write(CHANGES_CSV, tableCsv(ChangeRow.keyof().options, changes.records));
  effects.write(CHECKSUMS, checksums(effects.hashes));
  return changes.against?.release_id ?? null;
}

/**
 * Keeps the index of the records beside the site, for the releases that are compared with this one. The emitter noted those that were
 * touched; the others are as in the release that is mended, if there is one.
 */
export function noteRecords(
  snapshot: Snapshot,
  staging: string,
  effects: BuildEffects,
  mended: MendedRelease | undefined,
): RecordIndex {
  const { releaseId, asOf } = snapshot.release();
  const before = mended === undefined ? {} : keptRelease(mended.directory).index().records;
  const hashes = new Map([...Object.entries(before), ...effects.records]);
  for (const publicId of mended?.gone ?? []) hashes.delete(publicId);
  const records = Object.fromEntries([...hashes].sort(([a], [b]) => (a < b ? -1 : 1)));
  const index = { release_id: releaseId, data_as_of: isoTime(asOf), records };
  writeFileSync(releasePaths(staging).records, JSON.stringify(index));
  return index;
}

/** A rebuilt release keeps its change file, and a patch release that of the release which it mends. */
function changesOf(
  snapshot: Snapshot,
  { home, staging, against, mended, records }: ExportsTask,
  effects: BuildEffects,
): ReleaseChanges {
  const { releaseId, asOf } = snapshot.release();
  if (mended !== undefined) {
    const kept = keptRelease(mended.directory).changes();
    return mendedChanges(kept, { releaseId, records: snapshot.recordCount(), gone: mended.gone });
  }
  const known = knownReleases(home);
  const same = known.find((release) => release.releaseId === releaseId);
  if (same !== undefined && against === undefined) return same.changes();
  const { site } = releasePaths(staging);
  const now = records ?? {
    release_id: releaseId,
    data_as_of: isoTime(asOf),
    records: recordHashes(site, effects.hashes.keys()),
  };
  const before = releaseBefore(known, now.data_as_of, against)?.index();
  return releaseChanges(now, before, (publicId) => snapshot.record(publicId)?.mergedInto);
}

/** The list of hashes for `sha256sum -c` in that folder. */
export function checksums(hashes: Iterable<readonly [path: string, sha256: string]>): string {
  return [...hashes]
    .filter(([path]) => path.startsWith(EXPORTS))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, hash]) => `${hash}  ${path.slice(EXPORTS.length)}\n`)
    .join("");
}
