import type { Findings } from "../../proof/audit/findings.ts";
import { auditFile, type ListedFile, type PublicFiles } from "../../proof/audit/public-files.ts";

const DOWNLOADS = 16;

/** Downloads and checks every listed file, some at a time. */
export async function auditDownloads(
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
