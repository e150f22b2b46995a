import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ListedFile } from "../../audit/file-audit.ts";
import { Findings } from "../../audit/findings.ts";
import type { PublicFiles } from "../../audit/public-files.ts";
import { openRelease, openTwinList, type SignedRelease } from "../../audit/release-manifest.ts";
import { auditTimestamps } from "../../audit/timestamp-audit.ts";
import { auditTree } from "../../audit/tree-audit.ts";
import { hashOfFile, MANIFEST_FILES } from "../../build/stages/manifest.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { TWINS, twinsOfList } from "../../kernel/files/compressed-twins.ts";
import type { TrustAnchor } from "../../timestamp/trust-anchors.ts";
import { auditDownloads, auditFolder, unknownFiles } from "./audit-files.ts";

export interface AuditOptions {
  readonly vkey?: string | undefined;
  readonly remembered?: string | undefined; // a checkpoint from earlier
  readonly anchors?: readonly TrustAnchor[] | undefined; // of the timestamp authority
  readonly progress?: ((files: number) => void) | undefined;
}

/** A release on this machine: its site and, unless it is a copy of a site, its database. */
export interface ReleaseFolder {
  readonly site: string;
  readonly snapshot: string | undefined;
}

/** Resolves links, so that a release published meanwhile changes nothing. Throws OperatorError for a folder without a release. */
export function releaseFolder(path: string): ReleaseFolder {
  const found = [join(path, "site"), path].find((folder) => existsSync(join(folder, "manifest.json")));
  if (found === undefined)
    throw new OperatorError(
      `${path}: not a release: expected a folder with manifest.json or site/manifest.json`,
    );
  const site = realpathSync(found);
  const snapshot = join(dirname(site), "snapshot.db");
  return { site, snapshot: basename(site) === "site" && existsSync(snapshot) ? snapshot : undefined };
}

/** Checks everything that a release publishes, and adds faults to `findings`. `folder` is undefined for a site. Throws OperatorError when the check cannot be made. */
export async function auditRelease(
  files: PublicFiles,
  folder: ReleaseFolder | undefined,
  options: AuditOptions,
  findings: Findings,
): Promise<SignedRelease | undefined> {
  const release = await openSteadily(files, folder, options, findings);
  if (release === undefined) return undefined;
  const list = await openTwinList(files, release, findings);
  const twins = folder !== undefined && hasNoTwins(folder) ? undefined : list;
  const listed = listedFiles(release, folder && twins);
  const { progress, remembered } = options;
  try {
    await Promise.all([
      auditFiles(files, folder, listed, findings, progress),
      auditTree(files, release, { remembered }, findings),
      auditTimestamps(files, release, options.anchors, findings),
    ]);
  } finally {
    listed.return(undefined); // after a failure the other parts need not continue
  }
  if (folder === undefined) await assertSameRelease(files, release, findings);
  else await auditFolderItself(folder, release, twins, findings);
  return release;
}

/** Opens a site a second time if the first attempt has faults: it may have switched to a new release in between. */
async function openSteadily(
  files: PublicFiles,
  folder: ReleaseFolder | undefined,
  { vkey }: AuditOptions,
  findings: Findings,
): Promise<SignedRelease | undefined> {
  const first = new Findings();
  const release = await openRelease(files, { vkey }, first);
  if (folder === undefined && first.faults.length > 0) return openRelease(files, { vkey }, findings);
  findings.take({ faults: first.faults, counts: first.counts() });
  return release;
}

async function auditFiles(
  files: PublicFiles,
  folder: ReleaseFolder | undefined,
  listed: Iterator<ListedFile>,
  findings: Findings,
  progress: AuditOptions["progress"],
): Promise<void> {
  let done = 0;
  const onProgress = (count: number) => {
    done += count;
    progress?.(done);
  };
  if (folder === undefined) await auditDownloads(files, listed, findings, onProgress);
  else await auditFolder(folder.site, listed, findings, onProgress);
}

/** Checks what only a folder shows: unlisted files, and the database, which is not part of the site. */
async function auditFolderItself(
  { site, snapshot }: ReleaseFolder,
  release: SignedRelease,
  twins: string | undefined,
  findings: Findings,
): Promise<void> {
  auditUnlisted(site, release, twins, findings);
  if (snapshot !== undefined) await auditSnapshot(snapshot, release, findings);
}

function* listedFiles({ manifest, manifestSha256 }: SignedRelease, twins = ""): Generator<ListedFile, void> {
  for (const path of Object.keys(manifest.files)) yield { path, sha256: manifest.files[path] ?? "" };
  for (const { file, ending, sha256 } of twinsOfList(twins))
    yield { path: file + ending, sha256, holds: manifest.files[file] ?? manifestSha256 };
}

/**
 * Reports unlisted files. If all listed twins exist, an unlisted one shows as a surplus, and only then is it worth the memory to compare names. Without
 * a signed list, twins are not checked.
 */
function auditUnlisted(
  site: string,
  { manifest }: SignedRelease,
  list: string | undefined,
  findings: Findings,
): void {
  const isListed = (path: string) => Object.hasOwn(manifest.files, path) || MANIFEST_FILES.includes(path);
  const allFound = findings.faults.length === 0;
  let surplus = 0;
  for (const _twin of twinsOfList(list ?? "")) surplus -= 1;
  for (const path of unknownFiles(site, isListed)) {
    if (isTwinPath(path)) surplus += 1;
    else findings.fault(path, UNLISTED);
  }
  if (list === undefined || (allFound && surplus === 0)) return;
  const twins = new Set(Array.from(twinsOfList(list), ({ file, ending }) => file + ending));
  for (const path of unknownFiles(site, (path) => isListed(path) || twins.has(path)))
    if (isTwinPath(path)) findings.fault(path, UNLISTED);
}

const UNLISTED = "not in any signed list of this release";

function isTwinPath(path: string): boolean {
  return TWINS.some(({ ending }) => path.endsWith(ending));
}

/** A mirror of a site has none: they are only what a server sends in the place of a file. */
function hasNoTwins({ site }: ReleaseFolder): boolean {
  for (const _twin of unknownFiles(site, (path) => !isTwinPath(path))) return false;
  return true;
}

async function auditSnapshot(path: string, { manifest }: SignedRelease, findings: Findings): Promise<void> {
  findings.checked("databases");
  if ((await hashOfFile(path)) !== manifest.snapshot_sha256)
    findings.fault("snapshot.db", "its hash is not the one in the signed list");
}

/** A release that was published meanwhile would show as a heap of false faults. */
async function assertSameRelease(
  files: PublicFiles,
  { manifest }: SignedRelease,
  findings: Findings,
): Promise<void> {
  if (findings.faults.length === 0) return;
  const note = (await files.read("manifest.note"))?.toString("utf8");
  if (note !== undefined && !note.includes(`\n${manifest.release_id}\n`))
    throw new OperatorError("another release was published while this one was checked: run again");
}
