import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { hasErrorCode } from "../../kernel/errors.ts";
import { type Home, releasePaths } from "../../kernel/home.ts";
import { type Clock, systemClock } from "../../kernel/time.ts";
import { readOwnManifest } from "../../proof/audit/release-manifest.ts";
import { stampNewFiles } from "./first-published.ts";

/** A nightly release and a patch release may be built at the same time: each kind has one builder, and staging directories of its own. */
export type ReleaseKind = "building" | "patching";

/**
 * Creates an empty staging directory, and removes those of killed builds of this kind. Its name has the process id, because children of a killed build
 * may still write to the old one.
 */
export function prepareStaging(home: Home, kind: ReleaseKind = "building"): string {
  mkdirSync(home.releases, { recursive: true });
  removeLeftovers(home, kind);
  const staging = join(home.releases, `.${kind}-${process.pid}`);
  mkdirSync(join(staging, "site"), { recursive: true });
  return staging;
}

/** Removes what killed builds of this kind left, as far as it can. None may be running. */
export function removeLeftovers(home: Home, kind: ReleaseKind): void {
  if (!existsSync(home.releases)) return;
  for (const name of readdirSync(home.releases)) {
    if (name.startsWith(`.${kind}-`) || name.startsWith(GONE))
      refusalOf(() => removeTree(join(home.releases, name)));
  }
}

/** Removes the staging directory of a failed build, which may have filled the disk. */
export function removeStaging(staging: string): void {
  removeTree(staging);
}

/** Beginning of the names of directories that are being removed. */
const GONE = ".gone-";

/** The directory that `current` points at; undefined before the first release. */
export function currentRelease(home: Home): string | undefined {
  return existsSync(home.current) ? join(dirname(home.current), readlinkSync(home.current)) : undefined;
}

/** Syncs the release to disk, then moves the pointer: readers see the old release or the new one, never a part. */
export function publishRelease(
  home: Home,
  staging: string,
  releaseId: string,
  clock: Clock = systemClock,
): string {
  const name = freeName(home, releaseId);
  stampNewFiles(staging, currentRelease(home), clock);
  syncFileSystem(staging);
  renameSync(staging, join(home.releases, name));
  syncFolder(home.releases);
  pointTo(home, name, releaseId);
  return join(home.releases, name);
}

/** Moves the pointer to a release that lies whole on disk, and removes older folders of the same release. */
export function pointTo(home: Home, name: string, releaseId: string): void {
  const before = basename(currentRelease(home) ?? "");
  const pointer = `${home.current}.next`;
  rmSync(pointer, { force: true });
  symlinkSync(join("releases", name), pointer);
  renameSync(pointer, home.current);
  syncFolder(home.night);
  for (const same of namesOf(home, releaseId)) {
    // A server reads the previous one until it notices the new one.
    if (same !== name && same !== before) refusalOf(() => discardRelease(home, same)); // pruning reports it
  }
}

/** A free name, because a rebuild of the same inputs must not touch the directory that is being served. */
export function freeName(home: Home, releaseId: string, alsoTaken: readonly string[] = []): string {
  const taken = [...namesOf(home, releaseId), ...alsoTaken];
  let name = releaseId;
  for (let turn = 2; taken.includes(name); turn += 1) name = `${releaseId}.${turn}`;
  return name;
}

function namesOf(home: Home, releaseId: string): string[] {
  return readdirSync(home.releases).filter((name) => name === releaseId || name.startsWith(`${releaseId}.`));
}

export interface Pruning {
  readonly removed: number;
  /** Why a folder could not be removed, one text each; readers get the current release all the same. */
  readonly refused: readonly string[];
}

/**
 * Keeps the newest `keep` releases, the current one always included. `lastErasure` is the last erasing row of the current release (0: none): earlier
 * releases show the erased values and are all removed. Goes on past a folder that cannot be removed.
 */
export function pruneReleases(home: Home, keep: number, lastErasure: number): Pruning {
  const current = basename(currentRelease(home) ?? "");
  const names = readdirSync(home.releases);
  const others = names
    .filter((name) => !name.startsWith(".") && name !== current)
    .map((name) => ({ name, builtAt: statSync(join(home.releases, name)).mtimeMs }))
    .sort((a, b) => b.builtAt - a.builtAt);
  const gone = others.filter(
    ({ name }, at) =>
      at >= keep - 1 || (lastErasure > 0 && treeSizeOf(join(home.releases, name)) < lastErasure),
  );
  const left = names.filter((name) => name.startsWith(GONE)); // by an earlier pruning
  const refused = [
    ...left.flatMap((name) => refusalOf(() => removeTree(join(home.releases, name)))),
    ...gone.flatMap(({ name }) => refusalOf(() => discardRelease(home, name))),
  ];
  return { removed: gone.filter(({ name }) => !existsSync(join(home.releases, name))).length, refused };
}

/** Why the system refused to remove something; none if another process was faster. */
function refusalOf(remove: () => void): string[] {
  try {
    remove();
    return [];
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return [];
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** The number of ledger rows that a release is made from; 0 if unknown, so that it counts as the oldest. */
export function treeSizeOf(release: string): number {
  try {
    return readOwnManifest(releasePaths(release).manifest).inputs.tree_size;
  } catch {
    return 0;
  }
}

function discardRelease(home: Home, name: string): void {
  discardFolder(home, join(home.releases, name));
}

/** Renames before removing, so that a kill leaves no partial release; the next build removes the rest. */
export function discardFolder(home: Home, directory: string): void {
  const hidden = join(home.releases, GONE + basename(directory));
  renameSync(directory, hidden);
  removeTree(hidden);
}

/** Retries when a file is written into the folder meanwhile. */
function removeTree(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

/** Syncs the whole file system, because an fsync for each of a hundred thousand files would take minutes. */
export function syncFileSystem(folder: string): void {
  const done = spawnSync("sync", ["-f", folder]);
  if (done.status !== 0) spawnSync("sync");
}

export function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  fsyncSync(handle);
  closeSync(handle);
}
