/**
 * `presence mirror`: a copy of a published service, over HTTP. The signed manifest decides what the copy holds: what it lists
 * is downloaded where it changed, what it no longer lists is deleted, and nothing else exists. So a copy that is kept equals a fresh
 * one, also after opt-outs.
 *
 *     FOLDER/current     link to the copy that is served; switched by one rename
 *     FOLDER/copies/…    the copy itself: the files of the site
 *     FOLDER/.next       the copy in the making: an interrupted run goes on with it
 *     FOLDER/mirror.json the key that the first run trusted
 */

import { MANIFEST_FILES } from "../../build/stages/manifest.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { Findings } from "../../proof/audit/findings.ts";
import type { PublicFiles } from "../../proof/audit/public-files.ts";
import { openRelease, type SignedRelease } from "../../proof/audit/release-manifest.ts";
import {
  type Filled,
  type FillTask,
  fillCopy,
  type HeldCopy,
  MirrorFolder,
  SiteMoved,
} from "./mirror-folder.ts";

interface MirrorTask extends FillTask {
  readonly folder: string;
  readonly vkey?: string | undefined; // a key known from elsewhere
}

interface Mirrored extends Filled {
  readonly origin: string;
  readonly vkey: string; // the trusted key
  readonly release_id: string;
  readonly data_as_of: string;
  readonly tree_size: number;
  readonly is_new: boolean; // false: the copy was up to date
  readonly removed: number; // files that are gone since the copy before
}

/** A site that publishes releases faster than it is read is not followed for ever. */
const MAX_ROUNDS = 5;

/** Brings the copy up to date. Throws OperatorError when the site, a file or a signature is not what it must be; the copy then stays as it was. */
export async function mirrorSite(task: MirrorTask): Promise<Mirrored> {
  using folder = new MirrorFolder(task.folder);
  for (let round = 1; ; round += 1) {
    try {
      return await follow(task, folder);
    } catch (error) {
      if (!(error instanceof SiteMoved)) throw error;
      if (round === MAX_ROUNDS)
        throw new OperatorError(`${error.message}: run again later`, { cause: error });
    }
  }
}

async function follow(task: MirrorTask, folder: MirrorFolder): Promise<Mirrored> {
  const { files, frame } = remembering(task.files);
  const anchor = task.vkey ?? folder.trustedKey();
  const release = await openSigned(files, anchor);
  const held = folder.held();
  if (held !== undefined) assertContinues(release, held);
  const vkey = anchor ?? release.ring.at(release.head.size).vkey;
  folder.trust(vkey);
  const isNew = held?.manifestSha256 !== release.manifestSha256;
  const filled = isNew ? await fillCopy(task, folder, release, frame) : nothingToDo(release);
  if (isNew) folder.publish(release.manifestSha256);
  folder.tidy();
  return { ...summary(release), ...filled, vkey, is_new: isNew, removed: goneSince(release, held) };
}

/** Keys, checkpoint and manifest, all of them verified. */
async function openSigned(files: PublicFiles, vkey: string | undefined): Promise<SignedRelease> {
  const findings = new Findings();
  const release = await openRelease(files, { vkey }, findings);
  const [fault] = findings.faults;
  if (release === undefined || fault !== undefined)
    throw new OperatorError(
      `${fault?.subject ?? "the site"}: ${fault?.problem ?? "no release"}: the copy was not changed`,
    );
  const foreign = MANIFEST_FILES.find((path) => Object.hasOwn(release.manifest.files, path));
  if (foreign !== undefined) throw new OperatorError(`manifest.json: it lists ${foreign}, which cannot be`);
  return release;
}

/** Keeps the files that no manifest lists as they were verified. */
function remembering(files: PublicFiles): { files: PublicFiles; frame: ReadonlyMap<string, Buffer> } {
  const frame = new Map<string, Buffer>();
  return {
    frame,
    files: {
      async read(path) {
        const bytes = await files.read(path);
        if (bytes !== undefined && MANIFEST_FILES.includes(path)) frame.set(path, bytes);
        return bytes;
      },
    },
  };
}

/** Whoever replays an old release would bring back what was withdrawn since: a copy only goes forward, in one log. */
function assertContinues({ head, manifest }: SignedRelease, held: HeldCopy): void {
  const { tree_size, as_of, origin } = manifest.inputs;
  if (origin !== held.origin)
    throw new OperatorError(
      `the site is the log ${origin}, and the copy is of ${held.origin}: use another folder`,
    );
  const isOlder = head.size < held.treeSize || (tree_size === held.treeSize && as_of < held.asOf);
  if (isOlder)
    throw new OperatorError(
      `the site shows an older release (${tree_size} rows, ${as_of}) than the copy (${held.treeSize} rows, ${held.asOf}): the copy was not changed`,
    );
  if (manifest.files[`ledger/checkpoints/${held.treeSize}`] !== held.checkpointSha256)
    throw new OperatorError(
      `the site no longer has the checkpoint of ${held.treeSize} rows that the copy has: the log was changed; keep the copy as evidence`,
    );
}

function nothingToDo({ manifest }: SignedRelease): Filled {
  const files = Object.keys(manifest.files).length;
  return { files, downloaded: 0, kept: files, bytes_downloaded: 0 };
}

function summary({ head, manifest }: SignedRelease) {
  return {
    origin: head.origin,
    release_id: manifest.release_id,
    data_as_of: manifest.inputs.as_of,
    tree_size: head.size,
  };
}

function goneSince({ manifest }: SignedRelease, held: HeldCopy | undefined): number {
  return (held?.paths ?? []).filter((path) => !Object.hasOwn(manifest.files, path)).length;
}
