import { auditBundle, readBundle } from "../../proof/audit/bundle-audit.ts";
import { Findings } from "../../proof/audit/findings.ts";
import { auditFile, filesInFolderByTurns, type ListedFile } from "../../proof/audit/public-files.ts";
import type { AuditReport, AuditUnit } from "./audit-messages.ts";

type Unit = Exclude<AuditUnit, "end">;
type BundleUnit = Extract<Unit, { readonly bundles: unknown }>;
type FileUnit = Extract<Unit, { readonly files: unknown }>;

/** Audits units of the files in a folder, one after the other: what a file is read into is used again. */
export function unitAuditor(site: string): (unit: Unit) => Promise<AuditReport> {
  const files = filesInFolderByTurns(site);
  const others = filesInFolderByTurns(site);

  async function auditedBundles({ unit, bundles }: BundleUnit): Promise<AuditReport> {
    const audited = [];
    for (const task of bundles) audited.push(auditBundle(task, await readBundle(files, task, others)));
    return { unit, done: 2 * bundles.length, bundles: audited };
  }

  async function auditedFiles({ unit, files: text }: FileUnit): Promise<AuditReport> {
    const findings = new Findings();
    const listed: ListedFile[] = JSON.parse(text);
    for (const file of listed) await auditFile(files, file, findings);
    return { unit, done: listed.length, files: findings.found() };
  }

  return (unit) => ("bundles" in unit ? auditedBundles(unit) : auditedFiles(unit));
}
