import { existsSync } from "node:fs";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sideBySide } from "../../kernel/concurrency.ts";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import type { PublicFiles } from "../../proof/audit/public-files.ts";
import type { SignedRelease } from "../../proof/audit/release-manifest.ts";
import { filesOf } from "../audit/unlisted.ts";
import type { MirrorFolder } from "./mirror-folder.ts";

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
