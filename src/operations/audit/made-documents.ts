import { dirname } from "node:path";
import { PROGRAM_VERSION } from "../../contract/versions.ts";
import { sideBySide } from "../../kernel/concurrency.ts";
import type { RandomBytes } from "../../kernel/ids.ts";
import { type Findings, MADE_DOCUMENTS } from "../../proof/audit/findings.ts";
import type { PublicFiles } from "../../proof/audit/public-files.ts";
import { FormatError } from "../../proof/tlog/bytes.ts";
import { documentsOfRecord, type RecordDocument } from "../../routes/record-documents.ts";
import { Site } from "../../site/site.ts";
import type { AssembledSnapshot } from "./public-snapshot.ts";

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
