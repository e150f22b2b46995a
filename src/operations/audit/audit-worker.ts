import { parentPort, workerData } from "node:worker_threads";
import { auditFile, type ListedFile } from "../../audit/file-audit.ts";
import { Findings } from "../../audit/findings.ts";
import { filesInFolderByTurns } from "../../audit/public-files.ts";
import type { FilesChecked } from "./audit-files.ts";

/** A thread of `presence verify`: requests files until it gets none. */
const site = String(workerData.site);
const files = filesInFolderByTurns(site);
const ask = (checked: FilesChecked) => parentPort?.postMessage(checked);

parentPort?.on("message", async (listed: readonly ListedFile[]) => {
  const findings = new Findings();
  for (const file of listed) await auditFile(files, file, findings);
  if (listed.length === 0) parentPort?.close();
  else ask({ done: listed.length, faults: findings.faults, counts: findings.counts() });
});
ask({ done: 0, faults: [], counts: {} });
