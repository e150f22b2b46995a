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
import { syncFileSystem, syncFolder } from "../../build/stages/publish.ts";
import { sideBySide } from "../../kernel/concurrency.ts";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { replaceFile } from "../../kernel/files/durable-file.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { acquireLock, type Lock } from "../../ledger/database/lock.ts";
import type { PublicFiles } from "../../proof/audit/public-files.ts";
import { ReleaseManifest, type SignedRelease } from "../../proof/audit/release-manifest.ts";
import { filesOf } from "../audit/listed-files.ts";

/** What the copy that is served says of itself. */
export interface HeldCopy {
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

  held(): HeldCopy | undefined {
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
  tidy(): void {
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
