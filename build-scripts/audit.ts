import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ListedFile } from "../src/audit/file-audit.ts";
import type { Findings } from "../src/audit/findings.ts";
import type { PublicFiles } from "../src/audit/public-files.ts";
import { openRelease, openTwinList, type SignedRelease } from "../src/audit/release-manifest.ts";
import { auditTimestamps } from "../src/audit/timestamp-audit.ts";
import { auditTree } from "../src/audit/tree-audit.ts";
import { TWINS, twinsOfList } from "../src/kernel/compressed-twins.ts";
import { OperatorError } from "../src/kernel/errors.ts";
import type { TrustAnchor } from "../src/timestamp/trust-anchors.ts";
import { auditDownloads, auditFolder, unknownFiles } from "./stages/audit-files.ts";
import { hashOfFile, MANIFEST_FILES } from "./stages/manifest.ts";

export interface AuditOptions {
  readonly vkey?: string | undefined;
  readonly remembered?: string | undefined; // a signed tree head from earlier
  readonly anchors?: readonly TrustAnchor[] | undefined; // of the time-stamp authority
  readonly progress?: ((what: "rows" | "files", done: number, total: number) => void) | undefined;
}

/** A release on this machine: its folder and, where it is more than a copy of the site, its database. */
export interface ReleaseFolder {
  readonly site: string;
  readonly snapshot: string | undefined;
}

/** Throws OperatorError for a folder that holds no release. */
export function releaseFolder(path: string): ReleaseFolder {
  const site = existsSync(join(path, "site", "manifest.json")) ? join(path, "site") : path;
  if (!existsSync(join(site, "manifest.json")))
    throw new OperatorError(
      `${path}: no release there: expected a folder with manifest.json, or with site/manifest.json`,
    );
  const snapshot = join(dirname(site), "snapshot.db");
  return { site, snapshot: basename(site) === "site" && existsSync(snapshot) ? snapshot : undefined };
}

/** Checks everything that a release publishes; whatever is wrong is in `findings`. */
export async function auditRelease(
  files: PublicFiles,
  folder: ReleaseFolder | undefined,
  options: AuditOptions,
  findings: Findings,
): Promise<SignedRelease | undefined> {
  const release = await openRelease(files, { vkey: options.vkey }, findings);
  if (release === undefined) return undefined;
  const progress = options.progress;
  const fileAudit = auditFiles(files, folder, release, findings, progress);
  await auditTree(
    files,
    release,
    { remembered: options.remembered, progress: (done, total) => progress?.("rows", done, total) },
    findings,
  );
  await auditTimestamps(files, release, options.anchors, findings);
  await fileAudit;
  if (folder === undefined) await assertSameRelease(files, release, findings);
  return release;
}

async function auditFiles(
  files: PublicFiles,
  folder: ReleaseFolder | undefined,
  release: SignedRelease,
  findings: Findings,
  progress: AuditOptions["progress"],
): Promise<void> {
  let done = 0;
  const onProgress = (count: number) => {
    done += count;
    progress?.("files", done, 0);
  };
  if (folder === undefined) return auditDownloads(files, listedFiles(release), findings, onProgress);
  const twins = await openTwinList(files, release, findings);
  await auditFolder(folder.site, listedFiles(release, twins), findings, onProgress);
  auditUnlisted(folder.site, release, twins, findings);
  if (folder.snapshot !== undefined) await auditSnapshot(folder.snapshot, release, findings);
}

function* listedFiles({ manifest, manifestSha256 }: SignedRelease, twins = ""): Generator<ListedFile> {
  for (const path of Object.keys(manifest.files)) yield { path, sha256: manifest.files[path] ?? "" };
  for (const { file, ending, sha256 } of twinsOfList(twins))
    yield { path: file + ending, sha256, holds: manifest.files[file] ?? manifestSha256 };
}

/**
 * Names files that lie among the others and are in no list. All listed twins have been found, so there is a further one only if
 * there are more than listed; only then it is worth the memory to know them by name.
 */
function auditUnlisted(site: string, { manifest }: SignedRelease, list: string, findings: Findings): void {
  const isListed = (path: string) => Object.hasOwn(manifest.files, path) || MANIFEST_FILES.includes(path);
  let surplus = 0;
  for (const _twin of twinsOfList(list)) surplus -= 1;
  for (const path of unknownFiles(site, isListed)) {
    if (isTwinPath(path)) surplus += 1;
    else findings.fault(path, UNLISTED);
  }
  if (surplus <= 0) return;
  const twins = new Set(Array.from(twinsOfList(list), ({ file, ending }) => file + ending));
  for (const path of unknownFiles(site, (path) => isListed(path) || twins.has(path)))
    if (isTwinPath(path)) findings.fault(path, UNLISTED);
}

const UNLISTED = "it is in no signed list of this release";

function isTwinPath(path: string): boolean {
  return TWINS.some(({ ending }) => path.endsWith(ending));
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
  const note = await findings.attempt("manifest.note", async () =>
    (await files.read("manifest.note"))?.toString("utf8"),
  );
  if (note !== undefined && !note.includes(`\n${manifest.release_id}\n`))
    throw new OperatorError("another release was published while this one was checked: run again");
}
