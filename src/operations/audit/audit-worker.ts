import { parentPort, workerData } from "node:worker_threads";
import { auditBundle, type BundleTask } from "../../audit/bundle-audit.ts";
import { readBundle } from "../../audit/bundles.ts";
import { auditFile, type ListedFile } from "../../audit/file-audit.ts";
import { Findings } from "../../audit/findings.ts";
import { filesInFolderByTurns } from "../../audit/public-files.ts";
import type { AuditReport, AuditUnit } from "./audit-threads.ts";

/** A thread of `presence verify`: asks for work until there is none. */
const site = String(workerData.site);
const files = filesInFolderByTurns(site);
const others = filesInFolderByTurns(site);
const report = (message: AuditReport) => parentPort?.postMessage(message);

async function work(unit: AuditUnit): Promise<void> {
  if (unit === "end") parentPort?.close();
  else if ("bundles" in unit) report(await auditedBundles(unit));
  else report(await auditedFiles(unit));
}

async function auditedBundles({
  unit,
  bundles,
}: {
  readonly unit: number;
  readonly bundles: readonly BundleTask[];
}): Promise<AuditReport> {
  const audited = [];
  for (const task of bundles) audited.push(auditBundle(task, await readBundle(files, task, others)));
  return { unit, done: 2 * bundles.length, bundles: audited };
}

async function auditedFiles({
  unit,
  files: text,
}: {
  readonly unit: number;
  readonly files: string;
}): Promise<AuditReport> {
  const findings = new Findings();
  const listed: ListedFile[] = JSON.parse(text);
  for (const file of listed) await auditFile(files, file, findings, others);
  return { unit, done: listed.length, files: findings.found() };
}

// One unit after the other, although the next one is here already: what a file is read into is used again.
let last = Promise.resolve();
parentPort?.on("message", (unit: AuditUnit) => {
  last = last.then(() => work(unit));
});
for (const _ahead of [1, 2]) report({ done: 0 });
