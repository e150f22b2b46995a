import { opendirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { auditFile, type ListedFile } from "../../audit/file-audit.ts";
import type { Findings } from "../../audit/findings.ts";
import type { PublicFiles } from "../../audit/public-files.ts";
import { runWorkers } from "../../build/stages/worker.ts";

/** A thread's report on its files, which also requests the next ones. */
export const FilesChecked = z.object({
  done: z.int(),
  faults: z.array(z.object({ subject: z.string(), problem: z.string() })),
  counts: z.record(z.string(), z.int()),
});
export type FilesChecked = z.infer<typeof FilesChecked>;

// One core is left to the tree.
const WORKERS = Math.max(1, Math.min(4, availableParallelism() - 1));
const DOWNLOADS = 16;
const CHUNK = 500;
const SMALL_HEAP = { resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 } };

type OnProgress = (files: number) => void;

/** Checks every listed file of a folder in threads, which get some files at a time: whole lists would be as large as the manifest. */
export async function auditFolder(
  site: string,
  listed: Iterator<ListedFile>,
  findings: Findings,
  onProgress: OnProgress,
): Promise<void> {
  const deal = (raw: unknown) => {
    const checked = FilesChecked.parse(raw);
    findings.take(checked);
    onProgress(checked.done);
    return nextFiles(listed);
  };
  const tasks = Array.from({ length: WORKERS }, () => ({ site }));
  await runWorkers(new URL("./audit-worker.ts", import.meta.url), tasks, deal, SMALL_HEAP);
}

function nextFiles(listed: Iterator<ListedFile>): ListedFile[] {
  const files: ListedFile[] = [];
  while (files.length < CHUNK) {
    const next = listed.next();
    if (next.done === true) break;
    files.push(next.value);
  }
  return files;
}

/** Downloads and checks every listed file, some at a time. */
export async function auditDownloads(
  files: PublicFiles,
  listed: Iterator<ListedFile>,
  findings: Findings,
  onProgress: OnProgress,
): Promise<void> {
  const download = async () => {
    for (let next = listed.next(); next.done !== true; next = listed.next()) {
      await auditFile(files, next.value, findings);
      onProgress(1);
    }
  };
  await Promise.all(Array.from({ length: DOWNLOADS }, download));
}

/** The files of a folder for which `isKnown` is false. */
export function* unknownFiles(
  site: string,
  isKnown: (path: string) => boolean,
  below = "",
): Generator<string> {
  const folder = opendirSync(join(site, below));
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) yield* unknownFiles(site, isKnown, path);
      else if (!isKnown(path)) yield path;
    }
  } finally {
    folder.closeSync();
  }
}
