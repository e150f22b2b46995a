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

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { MANIFEST_FILES } from "../../build/stages/manifest.ts";
import { syncFileSystem, syncFolder } from "../../build/stages/publish.ts";
import { sideBySide } from "../../kernel/concurrency.ts";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { replaceFile } from "../../kernel/files/durable-file.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { acquireLock, type Lock } from "../../ledger/database/lock.ts";
import { Findings } from "../../proof/audit/findings.ts";
import { openRelease, ReleaseManifest, type SignedRelease } from "../../proof/audit/release-manifest.ts";
import type { PublicFiles } from "../../proof/audit/site-files.ts";
import { filesOf } from "./audit.ts";

/** What the copy that is served says of itself. */
export interface ServedCopy {
  readonly origin: string;
  readonly treeSize: number;
  readonly asOf: string;
  readonly manifestSha256: string;
  readonly checkpointSha256: string | undefined; // of the newest checkpoint
  readonly paths: readonly string[];
}

const Pinned = z.object({ vkey: z.string() });
const OWN = new Set(["copies", "current", "current.next", "mirror.json", "mirror.json.tmp", ".next", "lock"]);
const NAME_LENGTH = 16;

/** Owns the folder of a mirror, for one process at a time. */
export class MirrorFolder implements Disposable {
  readonly #root: string;
  readonly #lock: Lock;

  /** Throws OperatorError for a folder with anything else in it, and while another process mirrors into it. */
  constructor(root: string) {
    this.#root = root;
    mkdirSync(join(root, "copies"), { recursive: true });
    const foreign = readdirSync(root).find((name) => !OWN.has(name) && !name.startsWith("lock-"));
    if (foreign !== undefined)
      throw new OperatorError(
        `${root}: it holds ${foreign}, which is no part of a mirror: use a folder of its own`,
      );
    this.#lock = acquireLock(join(root, "lock"), `mirroring into ${root}`);
  }

  [Symbol.dispose](): void {
    this.#lock.release();
  }

  /** The copy in the making. */
  get staging(): string {
    return join(this.#root, ".next");
  }

  /** The copy that is served; there may be none yet. */
  get current(): string {
    return join(this.#root, "current");
  }

  /** The key that the first run trusted. */
  trustedKey(): string | undefined {
    const path = join(this.#root, "mirror.json");
    return existsSync(path) ? Pinned.parse(JSON.parse(readFileSync(path, "utf8"))).vkey : undefined;
  }

  trust(vkey: string): void {
    if (vkey === this.trustedKey()) return;
    replaceFile(join(this.#root, "mirror.json"), `${JSON.stringify({ vkey })}\n`, 0o644);
  }

  served(): ServedCopy | undefined {
    const path = join(this.current, "manifest.json");
    if (!existsSync(path)) return undefined;
    const text = readFileSync(path, "utf8");
    const { files, inputs } = ReleaseManifest.parse(JSON.parse(text));
    return {
      origin: inputs.origin,
      treeSize: inputs.tree_size,
      asOf: inputs.as_of,
      manifestSha256: sha256Hex(text),
      checkpointSha256: files["ledger/checkpoint"],
      paths: Object.keys(files),
    };
  }

  /** Syncs the copy in the making and serves it: readers see the old copy or the new one. */
  publish(manifestSha256: string): void {
    const name = manifestSha256.slice(0, NAME_LENGTH);
    const place = join(this.#root, "copies", name);
    syncFileSystem(this.staging);
    rmSync(place, { recursive: true, force: true });
    renameSync(this.staging, place);
    syncFolder(join(this.#root, "copies"));
    const pointer = `${this.current}.next`;
    rmSync(pointer, { force: true });
    symlinkSync(join("copies", name), pointer);
    renameSync(pointer, this.current);
    syncFolder(this.#root);
  }

  /** Deletes every earlier copy: it shows what was withdrawn since. */
  deleteOthers(): void {
    const served = existsSync(this.current) ? basename(readlinkSync(this.current)) : undefined;
    for (const name of readdirSync(join(this.#root, "copies")))
      if (name !== served) rmSync(join(this.#root, "copies", name), { recursive: true, force: true });
    rmSync(this.staging, { recursive: true, force: true });
  }
}

export interface FillTask {
  readonly files: PublicFiles; // of the site
  readonly maxBytes: number; // of all files of the copy together
  readonly progress?: (done: number, total: number) => void;
}

export interface Filled {
  readonly files: number;
  readonly downloaded: number;
  readonly kept: number; // unchanged since the copy before, or left by an interrupted run
  readonly bytes_downloaded: number;
}

/** The site published another release while it was read. */
export class SiteMoved extends Error {}

const DOWNLOADS = 8;

/** Makes the copy of a release in the staging folder: kept files are linked, changed ones downloaded, each checked against the signed list. */
export async function fillCopy(
  { files, maxBytes, progress }: FillTask,
  { staging, current }: MirrorFolder,
  release: SignedRelease,
  frame: ReadonlyMap<string, Buffer>,
): Promise<Filled> {
  await mkdir(staging, { recursive: true });
  const listed = Object.entries(release.manifest.files);
  for (const path of [...filesOf(staging)])
    if (!Object.hasOwn(release.manifest.files, path)) await rm(join(staging, path));
  const budget = byteBudget(maxBytes);
  let [done, downloaded, bytesDownloaded] = [0, 0, 0];
  await sideBySide(listed, DOWNLOADS, async ([path, sha256]) => {
    const target = join(staging, path);
    const known = (await sizeOfWhole(target, sha256)) ?? (await linked(join(current, path), target, sha256));
    if (known === undefined) {
      const bytes = await download(files, release, path, sha256);
      budget(bytes.length);
      await writeNew(target, bytes);
      downloaded += 1;
      bytesDownloaded += bytes.length;
    } else budget(known);
    done += 1;
    progress?.(done, listed.length);
  });
  for (const [path, bytes] of frame) await writeNew(join(staging, path), bytes);
  return {
    files: listed.length,
    downloaded,
    kept: listed.length - downloaded,
    bytes_downloaded: bytesDownloaded,
  };
}

/** Throws OperatorError once the copy is larger than it may be. */
function byteBudget(maxBytes: number): (bytes: number) => void {
  let left = maxBytes;
  return (bytes) => {
    left -= bytes;
    if (left < 0)
      throw new OperatorError(
        `the site is larger than ${maxBytes.toLocaleString("en-US")} bytes: raise --max-gb if you trust it`,
      );
  };
}

/** Size of a file with this hash; undefined for a missing file and for another one. */
async function sizeOfWhole(path: string, sha256: string): Promise<number | undefined> {
  try {
    const bytes = await readFile(path);
    return sha256Hex(bytes) === sha256 ? bytes.length : undefined;
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR"].some((code) => hasErrorCode(error, code))) return undefined;
    throw error;
  }
}

/** Links an unchanged file of the copy before into place; undefined when it changed. */
async function linked(from: string, to: string, sha256: string): Promise<number | undefined> {
  const size = await sizeOfWhole(from, sha256);
  if (size === undefined) return undefined;
  await makePlace(to);
  await link(from, to);
  return size;
}

async function writeNew(path: string, bytes: Buffer): Promise<void> {
  await makePlace(path);
  await writeFile(path, bytes, { flag: "wx" });
}

/** What lies there may be linked to the copy that is served: it is removed, never written into. */
async function makePlace(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (existsSync(path)) await rm(path, { recursive: true });
}

async function download(
  files: PublicFiles,
  release: SignedRelease,
  path: string,
  sha256: string,
): Promise<Buffer> {
  const bytes = await readNamed(files, path);
  if (bytes !== undefined && sha256Hex(bytes) === sha256) return bytes;
  const manifest = await readNamed(files, "manifest.json");
  if (manifest === undefined || sha256Hex(manifest) !== release.manifestSha256)
    throw new SiteMoved("the site publishes releases faster than they can be read");
  const problem =
    bytes === undefined ? "the server does not have it" : "its hash is not the one in the manifest";
  throw new OperatorError(`${path}: ${problem}: the copy was not changed; run again later`);
}

async function readNamed(files: PublicFiles, path: string): Promise<Buffer | undefined> {
  try {
    return await files.read(path);
  } catch (error) {
    if (error instanceof OperatorError || !(error instanceof Error)) throw error;
    throw new OperatorError(`${path}: ${error.message}: the copy was not changed`, { cause: error });
  }
}

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
  const served = folder.served();
  if (served !== undefined) assertContinues(release, served);
  const vkey = anchor ?? release.ring.at(release.head.size).vkey;
  folder.trust(vkey);
  const isNew = served?.manifestSha256 !== release.manifestSha256;
  const filled = isNew ? await fillCopy(task, folder, release, frame) : nothingToDo(release);
  if (isNew) folder.publish(release.manifestSha256);
  folder.deleteOthers();
  return { ...summary(release), ...filled, vkey, is_new: isNew, removed: goneSince(release, served) };
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
function assertContinues({ head, manifest }: SignedRelease, served: ServedCopy): void {
  const { tree_size, as_of, origin } = manifest.inputs;
  if (origin !== served.origin)
    throw new OperatorError(
      `the site is the log ${origin}, and the copy is of ${served.origin}: use another folder`,
    );
  const isOlder = head.size < served.treeSize || (tree_size === served.treeSize && as_of < served.asOf);
  if (isOlder)
    throw new OperatorError(
      `the site shows an older release (${tree_size} rows, ${as_of}) than the copy (${served.treeSize} rows, ${served.asOf}): the copy was not changed`,
    );
  if (manifest.files[`ledger/checkpoints/${served.treeSize}`] !== served.checkpointSha256)
    throw new OperatorError(
      `the site no longer has the checkpoint of ${served.treeSize} rows that the copy has: the log was changed; keep the copy as evidence`,
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

function goneSince({ manifest }: SignedRelease, served: ServedCopy | undefined): number {
  return (served?.paths ?? []).filter((path) => !Object.hasOwn(manifest.files, path)).length;
}
