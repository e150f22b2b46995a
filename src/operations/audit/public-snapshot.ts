import { createHash } from "node:crypto";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  PUBLIC_SNAPSHOT,
  PublicSnapshot,
  SNAPSHOT_PART_BYTES,
  snapshotPartPath,
} from "../../contract/service/exports.ts";
import { PROGRAM_VERSION } from "../../contract/versions.ts";
import { OtherStoreVersion } from "../../kernel/database-file.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { Findings } from "../../proof/audit/findings.ts";
import type { ReleaseManifest, SignedRelease } from "../../proof/audit/release-manifest.ts";
import { bodyOf, type PublicFiles, readPublished } from "../../proof/audit/site-files.ts";
import { FormatError } from "../../proof/tlog/bytes.ts";
import type { ReadContext } from "../../resources/define.ts";
import { contextOf } from "../../resources/release-store.ts";
import { openForeignSnapshot } from "../../snapshot/snapshot.ts";

const ASSET = /^assets\/([^/]+)$/;

/** A disk that a stranger's parts may fill. */
const MAX_BYTES = 32e9;

/** The snapshot of a release, put together from its public parts in a folder of its own. */
export interface AssembledSnapshot extends Disposable {
  readonly path: string;
  readonly context: ReadContext;
  readonly described: PublicSnapshot;
  readonly assets: readonly string[]; // names of the files that its pages use
}

/**
 * Undefined for a release whose documents of records are files, and for one whose snapshot is not the signed one, with the faults in
 * `findings`. Throws OperatorError for a snapshot that only another version of the program can read.
 */
export async function assembleSnapshot(
  files: PublicFiles,
  { manifest }: Pick<SignedRelease, "manifest">,
  findings: Findings,
): Promise<AssembledSnapshot | undefined> {
  if (manifest.files[PUBLIC_SNAPSHOT] === undefined) return undefined;
  const described = await findings.attempt(PUBLIC_SNAPSHOT, () => describedBy(files, manifest));
  if (described === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "presence-snapshot-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const path = join(folder, "snapshot.db");
  try {
    const context = await findings.attempt(PUBLIC_SNAPSHOT, async () => {
      await putTogether(files, described, path);
      return opened(path, described);
    });
    const assets = Object.keys(manifest.files).flatMap((name) => ASSET.exec(name)?.[1] ?? []);
    if (context !== undefined) return { path, described, assets, ...disposable(context, remove) };
  } catch (error) {
    remove();
    throw error;
  }
  remove();
  return undefined;
}

function disposable({ close, ...context }: OpenContext, remove: () => void) {
  return {
    context,
    [Symbol.dispose]() {
      close();
      remove();
    },
  };
}

/** What the release says of its snapshot. Throws FormatError where the signed list says otherwise. */
async function describedBy(files: PublicFiles, manifest: ReleaseManifest): Promise<PublicSnapshot> {
  const hash = manifest.files[PUBLIC_SNAPSHOT] ?? "";
  const bytes = bodyOf(await readPublished(files, PUBLIC_SNAPSHOT), hash);
  const described = PublicSnapshot.parse(JSON.parse(bytes.toString("utf8")));
  const { parts, sha256, release_id, program } = described;
  if (
    sha256 !== manifest.snapshot_sha256 ||
    release_id !== manifest.release_id ||
    program.source_revision !== manifest.inputs.source_revision
  )
    throw new FormatError("it describes the snapshot of another release");
  for (const part of parts)
    if (part.path !== snapshotPartPath(part.sha256) || manifest.files[part.path] !== part.sha256)
      throw new FormatError(`${part.path}: not a part in the signed list`);
  if (parts.some(({ bytes: length }) => length > SNAPSHOT_PART_BYTES))
    throw new FormatError("a part is too large");
  if (parts.length * SNAPSHOT_PART_BYTES > MAX_BYTES)
    throw new OperatorError(`the snapshot is larger than ${MAX_BYTES / 1e9} GB: it cannot be checked here`);
  return described;
}

async function putTogether(
  files: PublicFiles,
  { parts, sha256 }: PublicSnapshot,
  path: string,
): Promise<void> {
  const whole = createHash("sha256");
  const file = openSync(path, "wx", 0o600);
  try {
    for (const part of parts) {
      const bytes = bodyOf(await readPublished(files, part.path), part.sha256);
      whole.update(bytes);
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    }
  } finally {
    closeSync(file);
  }
  if (whole.digest("hex") !== sha256)
    throw new FormatError("its parts do not make the snapshot of the signed list");
}

type OpenContext = ReadContext & { close(): void };

function opened(path: string, { program }: PublicSnapshot): OpenContext {
  try {
    const snapshot = openForeignSnapshot(path);
    return { ...contextOf(snapshot), close: () => snapshot.close() };
  } catch (cause) {
    if (!(cause instanceof OtherStoreVersion)) throw cause;
    throw new OperatorError(
      `version ${program.version} of the program (${program.source_revision}) made the documents of this release: check it with that one; this is ${PROGRAM_VERSION}`,
      { cause },
    );
  }
}
