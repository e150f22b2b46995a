import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { MANIFEST_FILES } from "../../build/stages/manifest.ts";
import { PROGRAM_VERSION } from "../../contract/versions.ts";
import { sideBySide } from "../../kernel/concurrency.ts";
import type { RandomBytes } from "../../kernel/ids.ts";
import { pathsOfBundle } from "../../proof/audit/bundle-audit.ts";
import { type Findings, MADE_DOCUMENTS } from "../../proof/audit/findings.ts";
import type { ListedFile, PublicFiles } from "../../proof/audit/public-files.ts";
import type { SignedRelease } from "../../proof/audit/release-manifest.ts";
import { FormatError } from "../../proof/tlog/bytes.ts";
import { bundleWidth, TILE_WIDTH } from "../../proof/tlog/tile.ts";
import { documentsOfRecord, type RecordDocument } from "../../routes/record-documents.ts";
import { Site } from "../../site/site.ts";
import type { AssembledSnapshot } from "./public-snapshot.ts";

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
