import { existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { openFigures, readFigures } from "../../build/figures/signed-figures.ts";
import { hashOfFile, MANIFEST_FILES } from "../../build/stages/manifest.ts";
import { PROGRAM_VERSION } from "../../contract/versions.ts";
import { sideBySide } from "../../kernel/concurrency.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { RandomBytes } from "../../kernel/ids.ts";
import { pathsOfBundle } from "../../proof/audit/bundle-audit.ts";
import { Findings, MADE_DOCUMENTS } from "../../proof/audit/findings.ts";
import { openRelease, openReleaseNote, type SignedRelease } from "../../proof/audit/release-manifest.ts";
import { auditFile, type ListedFile, type PublicFiles } from "../../proof/audit/site-files.ts";
import { auditTimestamps, auditTree, startTreeAudit } from "../../proof/audit/tree-audit.ts";
import type { TrustAnchor } from "../../proof/timestamp/certificates.ts";
import { FormatError } from "../../proof/tlog/bytes.ts";
import { bundleWidth, TILE_WIDTH } from "../../proof/tlog/proof.ts";
import { documentsOfRecord, type RecordDocument } from "../../site/routes/record-documents.ts";
import { Site } from "../../site/site.ts";
import { auditInThreads, threadsFor } from "./audit-threads.ts";
import { type AssembledSnapshot, assembleSnapshot } from "./public-snapshot.ts";

/** All listed files but the bundles, which are checked with their rows. */
export function* listedFiles({ head, manifest }: SignedRelease): Generator<ListedFile, void> {
  for (const [path, sha256] of Object.entries(manifest.files))
    if (!isBundle(path, head.size)) yield { path, sha256 };
}

const BUNDLE = /^ledger\/(?:tile\/entries|disclosures)\/((?:x\d{3}\/)*\d{3})(?:\.|$)/;

/** Whether the audit of the tree reads this file. */
function isBundle(path: string, size: number): boolean {
  const [, groups] = BUNDLE.exec(path) ?? [];
  if (groups === undefined) return false;
  const index = Number(groups.replaceAll(/[x/]/g, ""));
  if (index * TILE_WIDTH >= size) return false;
  const { entries, disclosures } = pathsOfBundle({ index, width: bundleWidth(index, size) });
  return path === entries || path === disclosures;
}

const FILES_A_TURN = 200;

/** Reports the files of a release that its list does not name. The other parts of the audit get their turns meanwhile. */
export async function auditUnlisted(
  site: string,
  { manifest: { files } }: SignedRelease,
  findings: Findings,
  signal: AbortSignal,
): Promise<void> {
  let seen = 0;
  for (const path of filesOf(site)) {
    if (!Object.hasOwn(files, path) && !MANIFEST_FILES.includes(path))
      findings.fault(path, "not in any signed list of this release");
    if (++seen % FILES_A_TURN === 0) await turn();
    if (signal.aborted) return;
  }
}

/** The paths of all files below a folder, in its form. */
export function* filesOf(site: string, below = ""): Generator<string> {
  for (const entry of readdirSync(join(site, below), { withFileTypes: true })) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* filesOf(site, path);
    else yield path;
  }
}

/** Of how many records the documents are compared; which they are, the server cannot know before. */
export type RecordSample = number | "all";

export interface MadeDocumentsOptions {
  readonly sample: RecordSample;
  readonly random: RandomBytes;
  readonly onProgress: (documents: number) => void;
}

const AT_ONCE = 4;

/** Makes the documents of records from the signed snapshot, and compares them with what the server of the site answers. */
export async function auditMadeDocuments(
  files: PublicFiles,
  { path, context, described, assets }: AssembledSnapshot,
  { sample, random, onProgress }: MadeDocumentsOptions,
  findings: Findings,
): Promise<void> {
  const ids = [...context.snapshot.publicIds()];
  const chosen = sample === "all" ? ids : drawn(ids, sample, random);
  const site = new Site(context, dirname(path), assets);
  const { version } = described.program;
  const maker =
    version === PROGRAM_VERSION ? "" : ` (version ${version} made it, this is ${PROGRAM_VERSION})`;
  await sideBySide(chosen, AT_ONCE, async (publicId) => {
    for (const document of documentsOfRecord(context, publicId)) {
      findings.checked(MADE_DOCUMENTS);
      await findings.attempt(document.file, () => compare(files, document, site, maker));
      onProgress(1);
    }
  });
}

async function compare(
  files: PublicFiles,
  { file, text }: RecordDocument,
  site: Site,
  maker: string,
): Promise<void> {
  const served = await files.read(file);
  if (served === undefined) throw new FormatError("the server does not have it");
  if (!served.equals(Buffer.from(text(site))))
    throw new FormatError(`the server answers something else than the signed snapshot gives${maker}`);
}

/** Without repetition; the shuffle of Fisher and Yates, as far as it is needed. */
function drawn(ids: readonly string[], count: number, random: RandomBytes): string[] {
  const left = [...ids];
  const taken: string[] = [];
  while (taken.length < count && left.length > 0) {
    const at = random(6).readUIntBE(0, 6) % left.length;
    taken.push(left[at] ?? "");
    left[at] = left.at(-1) ?? "";
    left.pop();
  }
  return taken;
}

interface AuditOptions {
  readonly vkey?: string | undefined;
  readonly remembered?: string | undefined; // a checkpoint from earlier
  readonly anchors?: readonly TrustAnchor[] | undefined; // of the timestamp authority
  readonly progress?: ((files: number) => void) | undefined;
  /** Of a site whose server makes the documents of records: which of them are compared; undefined: none. */
  readonly made?: Pick<MadeDocumentsOptions, "sample" | "random"> | undefined;
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
  if (folder === undefined) {
    await auditSite(files, release, options, findings);
    await assertSameRelease(files, release, findings);
  } else await auditFolder(files, release, { ...folder, ...options }, findings);
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

/** Each file of a site is downloaded once. What its server makes is compared with what the signed snapshot gives. */
async function auditSite(
  files: PublicFiles,
  release: SignedRelease,
  { made, ...options }: AuditOptions,
  findings: Findings,
): Promise<void> {
  using snapshot = made && (await assembleSnapshot(files, release, findings));
  const assembled = snapshot?.described.parts ?? [];
  findings.checked("files", assembled.length);
  await auditFiles(
    files,
    release,
    { ...options, assembled: new Set(assembled.map(({ path }) => path)) },
    findings,
  );
  if (made === undefined || snapshot === undefined) return;
  const onProgress = counting(options.progress, Object.keys(release.manifest.files).length);
  await auditMadeDocuments(files, snapshot, { ...made, onProgress }, findings);
}

interface FilesAudit extends Omit<AuditOptions, "made"> {
  readonly assembled: ReadonlySet<string>; // paths of parts that made the signed snapshot
}

/** Those of the rows for the tree, all others for their hashes. */
async function auditFiles(
  files: PublicFiles,
  release: SignedRelease,
  { assembled, remembered, anchors, progress }: FilesAudit,
  findings: Findings,
): Promise<void> {
  const [tree, stamps, listed] = [new Findings(), new Findings(), new Findings()];
  const downloads = filesBeside(assembled, release);
  try {
    await Promise.all([
      auditDownloads(files, downloads, listed, counting(progress, assembled.size)),
      auditTree(files, release, { remembered, files: listed }, tree),
      auditTimestamps(files, release, anchors, stamps),
    ]);
  } finally {
    downloads.return(); // after a failure the other parts need not continue
  }
  for (const part of [tree, stamps, listed]) findings.take(part.found());
}

function* filesBeside(assembled: ReadonlySet<string>, release: SignedRelease): Generator<ListedFile, void> {
  for (const file of listedFiles(release)) if (!assembled.has(file.path)) yield file;
}

/** Also checks what only a folder shows: unlisted files, and the database, which is not part of the site. */
async function auditFolder(
  files: PublicFiles,
  release: SignedRelease,
  { site, snapshot, remembered, anchors, progress }: ReleaseFolder & AuditOptions,
  findings: Findings,
): Promise<void> {
  const [tree, stamps, listed] = [new Findings(), new Findings(), new Findings()];
  const [unlisted, database] = [new Findings(), new Findings()];
  const audit = await startTreeAudit(files, release, { remembered, files: listed }, tree);
  const over = new AbortController();
  const work = {
    audit,
    signal: over.signal,
    rows: release.head.size,
    listed: listedFiles(release),
    files: Object.keys(release.manifest.files).length,
    findings: listed,
    onProgress: counting(progress),
  };
  const parts = [
    auditUnlisted(site, release, unlisted, over.signal),
    auditInThreads(site, work, threadsFor(work)),
    auditTimestamps(files, release, anchors, stamps),
    auditSnapshot(files, snapshot, release, database),
  ] as const;
  // After a failure the others come to their end first, the threads by themselves.
  for (const part of parts) part.catch(() => over.abort());
  await Promise.allSettled(parts);
  await Promise.all(parts);
  await audit.finish(files);
  for (const part of [tree, stamps, listed, unlisted, database]) findings.take(part.found());
}

function counting(progress: AuditOptions["progress"], before = 0): (files: number) => void {
  let done = before;
  return (files) => {
    done += files;
    progress?.(done);
  };
}

/** Also the public parts of it, where the documents of records are made from them. */
async function auditSnapshot(
  files: PublicFiles,
  path: string | undefined,
  release: SignedRelease,
  findings: Findings,
): Promise<void> {
  const { manifest } = release;
  using parts = await assembleSnapshot(files, release, findings);
  if (parts !== undefined) findings.checked("databases");
  if (path === undefined) return;
  findings.checked("databases");
  if ((await hashOfFile(path)) !== manifest.snapshot_sha256)
    findings.fault("snapshot.db", "its hash is not the one in the signed list");
  await auditFigures(dirname(path), release, findings);
}

/** The figures that lie beside the site, and their note. */
async function auditFigures(directory: string, release: SignedRelease, findings: Findings): Promise<void> {
  const signed = await findings.attempt("figures.ndjson", async () => readFigures(directory));
  if (signed === undefined) return;
  const said = await findings.attempt("figures.note", async () => openReleaseNote(signed.note, release));
  await findings.attempt("figures.ndjson", async () => {
    const { release_id } = openFigures(signed, () => said ?? "");
    if (release_id !== release.manifest.release_id) throw new FormatError("of another release");
  });
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

const DOWNLOADS = 16;

/** Downloads and checks every listed file, some at a time. */
async function auditDownloads(
  files: PublicFiles,
  listed: Iterator<ListedFile>,
  findings: Findings,
  onProgress: (files: number) => void,
): Promise<void> {
  const download = async () => {
    for (let next = listed.next(); next.done !== true; next = listed.next()) {
      await auditFile(files, next.value, findings);
      onProgress(1);
    }
  };
  await Promise.all(Array.from({ length: DOWNLOADS }, download));
}
